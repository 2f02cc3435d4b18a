/// The answer to `GET /server/about`.
///
/// Source: contract of Immich, endpoints.
public struct ImmichAbout: Codable, Sendable, Equatable {
    /// The version, `v3.1.0`.
    public var version: String
    /// Where the version is described.
    public var versionUrl: String
    /// Whether the server has a licence.
    public var licensed: Bool
    /// What was built.
    public var build: String?

    /// Makes an answer.
    public init(version: String, versionUrl: String, licensed: Bool = false, build: String? = nil) {
        self.version = version
        self.versionUrl = versionUrl
        self.licensed = licensed
        self.build = build
    }
}

/// The answer to `GET /server/storage`.
///
/// Source: description of Immich 3.1.0, `ServerStorageResponseDto`.
public struct ImmichStorage: Codable, Sendable, Equatable {
    /// The size of the disk, for people.
    public var diskSize: String
    /// What is used of it, for people.
    public var diskUse: String
    /// What is free for the server, for people.
    public var diskAvailable: String
    /// The size of the disk in bytes.
    public var diskSizeRaw: Int
    /// What is used of it in bytes.
    public var diskUseRaw: Int
    /// What is free for the server in bytes.
    public var diskAvailableRaw: Int
    /// What is used, in percent with two places.
    public var diskUsagePercentage: Double

    /// Makes an answer of two numbers.
    public init(size: Int, available: Int) {
        let use = max(0, size - available)
        diskSizeRaw = size
        diskUseRaw = use
        diskAvailableRaw = available
        diskSize = Self.text(size)
        diskUse = Self.text(use)
        diskAvailable = Self.text(available)
        diskUsagePercentage = size > 0 ? (Double(use) / Double(size) * 10_000).rounded() / 100 : 0
    }

    /// `1.5 GiB`.
    private static func text(_ bytes: Int) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
        var tenths = bytes.multipliedReportingOverflow(by: 10)
        guard !tenths.overflow else { return "\(bytes >> 60) EiB" }
        var unit = 0
        while tenths.partialValue >= 10_240, unit < units.count - 1 {
            tenths.partialValue /= 1_024
            unit += 1
        }
        return "\(tenths.partialValue / 10).\(tenths.partialValue % 10) \(units[unit])"
    }
}

/// The answer to `GET /server/media-types`: endings of file names, with the dot.
///
/// Source: description of Immich 3.1.0, `ServerMediaTypesResponseDto`.
public struct ImmichMediaTypes: Codable, Sendable, Equatable {
    /// Of pictures.
    public var image: [String]
    /// Of what stands beside pictures.
    public var sidecar: [String]
    /// Of videos.
    public var video: [String]

    /// Makes an answer.
    public init(image: [String], sidecar: [String], video: [String]) {
        self.image = image
        self.sidecar = sidecar
        self.video = video
    }
}

/// The answer to `GET /server/version-check`: whether there is a newer release.
///
/// Source: description of Immich 3.1.0, `VersionCheckStateResponseDto`.
public struct ImmichVersionCheck: Codable, Sendable, Equatable {
    /// When that was looked up.
    @Nullable public var checkedAt: String?
    /// The newest release.
    @Nullable public var releaseVersion: String?

    /// Makes the answer of a server that does not look.
    public init() {
        _checkedAt = Nullable(wrappedValue: nil)
        _releaseVersion = Nullable(wrappedValue: nil)
    }
}
