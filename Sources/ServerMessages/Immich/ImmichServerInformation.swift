import HTTPMessages

/// The response to `GET /server/about`.
///
/// Source: docs/protocols/immich.md, Server information.
package struct ImmichAbout: Codable, Sendable, Equatable {
    /// The version, such as `v3.1.0`.
    package var version: String
    /// The address of the release notes of the version.
    package var versionUrl: String
    /// Whether the server has a licence.
    var licensed: Bool
    /// The identifier of the build.
    package var build: String?

    /// Creates a response.
    package init(version: String, versionUrl: String, licensed: Bool = false, build: String? = nil) {
        self.version = version
        self.versionUrl = versionUrl
        self.licensed = licensed
        self.build = build
    }
}

/// The response to `GET /server/storage`.
///
/// Source: immich-app/immich v3.1.0, `open-api/immich-openapi-specs.json`, `ServerStorageResponseDto`.
package struct ImmichStorage: Codable, Sendable, Equatable {
    /// The size of the disk, as text for people.
    var diskSize: String
    /// The used space, as text for people.
    var diskUse: String
    /// The space that is available to the server, as text for people.
    var diskAvailable: String
    /// The size of the disk in bytes.
    var diskSizeRaw: Int
    /// The used space in bytes.
    var diskUseRaw: Int
    /// The space that is available to the server in bytes.
    var diskAvailableRaw: Int
    /// The used space in percent, rounded to two decimal places.
    var diskUsagePercentage: Double

    /// Creates a response from the size and the available space, in bytes.
    package init(size: Int, available: Int) {
        let use = max(0, size - available)
        diskSizeRaw = size
        diskUseRaw = use
        diskAvailableRaw = available
        diskSize = Self.text(size)
        diskUse = Self.text(use)
        diskAvailable = Self.text(available)
        diskUsagePercentage = size > 0 ? (Double(use) / Double(size) * 10_000).rounded() / 100 : 0
    }

    /// Returns a size as text, such as `1.5 GiB`.
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

/// The response to `GET /server/media-types`: file name extensions, with the dot.
///
/// Source: immich-app/immich v3.1.0, `open-api/immich-openapi-specs.json`, `ServerMediaTypesResponseDto`.
package struct ImmichMediaTypes: Codable, Sendable, Equatable {
    /// The extensions of pictures.
    package var image: [String]
    /// The extensions of sidecar files of pictures.
    package var sidecar: [String]
    /// The extensions of videos.
    package var video: [String]

    /// Creates a response.
    package init(image: [String], sidecar: [String], video: [String]) {
        self.image = image
        self.sidecar = sidecar
        self.video = video
    }
}

/// The response to `GET /server/version-check`: whether a newer release exists.
///
/// Source: immich-app/immich v3.1.0, `open-api/immich-openapi-specs.json`, `VersionCheckStateResponseDto`.
package struct ImmichVersionCheck: Codable, Sendable, Equatable {
    /// When the server last looked for a release. Null for never.
    @Nullable var checkedAt: String?
    /// The newest release. Null when it is not known.
    @Nullable var releaseVersion: String?

    /// Creates the response of a server that does not look for releases.
    package init() {
        _checkedAt = Nullable(wrappedValue: nil)
        _releaseVersion = Nullable(wrappedValue: nil)
    }
}
