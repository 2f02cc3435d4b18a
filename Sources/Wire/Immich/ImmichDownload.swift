/// The body of `POST /download/info`: the assets to download. Exactly one of the first three members is set.
///
/// Source: DL-3; contract of Immich, `DownloadInfoDto`.
public struct ImmichDownloadRequest: Codable, Sendable, Equatable {
    /// The ids of the photos and videos to download.
    public var assetIds: [String]?
    /// The id of the album to download.
    public var albumId: String?
    /// The id of the person whose assets are to be downloaded.
    public var userId: String?
    /// The maximum size of one archive, in bytes. Nil means 4 GiB.
    public var archiveSize: Int?

    /// Creates a request body.
    public init(assetIds: [String]? = nil, albumId: String? = nil, userId: String? = nil, archiveSize: Int? = nil) {
        self.assetIds = assetIds
        self.albumId = albumId
        self.userId = userId
        self.archiveSize = archiveSize
    }
}

/// The response to `POST /download/info`: how the assets are divided into archives.
///
/// Source: contract of Immich, `DownloadResponseDto`, b.22.
public struct ImmichDownloadPlan: Codable, Sendable, Equatable {
    /// One archive of the download.
    public struct Archive: Codable, Sendable, Equatable {
        /// The size of the archive's files in bytes.
        public var size: Int
        /// The ids of the assets in the archive, in order.
        public var assetIds: [String]

        /// Creates an archive.
        public init(size: Int = 0, assetIds: [String] = []) {
            self.size = size
            self.assetIds = assetIds
        }
    }

    /// The size of all files in bytes.
    public var totalSize: Int
    /// The archives to download.
    public var archives: [Archive]

    /// Creates a plan.
    public init(_ archives: [Archive]) {
        self.archives = archives
        totalSize = archives.reduce(0) { $0 + $1.size }
    }
}
