/// The body of `POST /download/info`: what shall be fetched, by exactly one of three ways.
///
/// Source: DL-3; contract of Immich, `DownloadInfoDto`.
public struct ImmichDownloadRequest: Codable, Sendable, Equatable {
    /// These photographs and films.
    public var assetIds: [String]?
    /// All of an album.
    public var albumId: String?
    /// All of a person.
    public var userId: String?
    /// How large one archive may become, in bytes; 4 GiB when it is not said.
    public var archiveSize: Int?

    /// Makes a body.
    public init(assetIds: [String]? = nil, albumId: String? = nil, userId: String? = nil, archiveSize: Int? = nil) {
        self.assetIds = assetIds
        self.albumId = albumId
        self.userId = userId
        self.archiveSize = archiveSize
    }
}

/// The answer to it: how it comes apart into archives.
///
/// Source: contract of Immich, `DownloadResponseDto`, b.22.
public struct ImmichDownloadPlan: Codable, Sendable, Equatable {
    /// One archive.
    public struct Archive: Codable, Sendable, Equatable {
        /// The bytes of its files.
        public var size: Int
        /// What is in it, in order.
        public var assetIds: [String]

        /// Makes an archive.
        public init(size: Int = 0, assetIds: [String] = []) {
            self.size = size
            self.assetIds = assetIds
        }
    }

    /// The bytes of all files.
    public var totalSize: Int
    /// The archives.
    public var archives: [Archive]

    /// Makes a plan.
    public init(_ archives: [Archive]) {
        self.archives = archives
        totalSize = archives.reduce(0) { $0 + $1.size }
    }
}
