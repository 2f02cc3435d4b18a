/// The response to `POST /search/metadata`: one page of results.
///
/// Source: contract of Immich, endpoints; `SearchResponseDto` of 3.1.0.
public struct ImmichSearchAnswer: Codable, Sendable, Equatable {
    /// The results of one kind.
    public struct Part<Item: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
        /// The number of items on this page.
        public var total: Int
        /// The number of items on this page, as in ``total``.
        public var count: Int
        /// The items found.
        public var items: [Item]
        /// The number of the next page, as text. Null on the last page, and for a kind of results without pages.
        @Nullable public var nextPage: String?
        /// The facets of the results. Always empty.
        public var facets: [JSONValue]

        /// Creates results of one kind.
        public init(_ items: [Item], nextPage: Int? = nil) {
            total = items.count
            count = items.count
            self.items = items
            _nextPage = Nullable(wrappedValue: nextPage.map(String.init))
            facets = []
        }
    }

    /// The albums found. Always empty, because this search finds no albums.
    public var albums: Part<JSONValue>
    /// The photos and videos found.
    public var assets: Part<ImmichAsset>

    /// Creates a response.
    public init(_ assets: [ImmichAsset], nextPage: Int?) {
        albums = Part([])
        self.assets = Part(assets, nextPage: nextPage)
    }
}

/// The response to `GET /assets/statistics`.
///
/// Source: `AssetStatsResponseDto` of 3.1.0.
public struct ImmichAssetStatistics: Codable, Sendable, Equatable {
    /// The number of photos.
    public var images: Int
    /// The number of videos.
    public var videos: Int
    /// The number of photos and videos.
    public var total: Int

    /// Creates a response.
    public init(images: Int, videos: Int) {
        self.images = images
        self.videos = videos
        total = images + videos
    }
}

/// The response to `GET /server/statistics`, for administrators.
///
/// Source: `ServerStatsResponseDto` of 3.1.0.
public struct ImmichServerStatistics: Codable, Sendable, Equatable {
    /// The storage use of one person.
    public struct Usage: Codable, Sendable, Equatable {
        /// The person's id.
        public var userId: String
        /// The person's name.
        public var userName: String
        /// The number of photos.
        public var photos: Int
        /// The number of videos.
        public var videos: Int
        /// The size of all files in bytes.
        public var usage: Int
        /// The size of all photos in bytes.
        public var usagePhotos: Int
        /// The size of all videos in bytes.
        public var usageVideos: Int
        /// The person's storage quota in bytes. Null for no quota.
        @Nullable public var quotaSizeInBytes: Int?

        /// Creates the storage use of one person, without a quota.
        public init(
            userId: String, userName: String, photos: Int, videos: Int, usagePhotos: Int, usageVideos: Int
        ) {
            self.userId = userId
            self.userName = userName
            self.photos = photos
            self.videos = videos
            self.usagePhotos = usagePhotos
            self.usageVideos = usageVideos
            usage = usagePhotos + usageVideos
            _quotaSizeInBytes = Nullable(wrappedValue: nil)
        }
    }

    /// The number of photos.
    public var photos: Int
    /// The number of videos.
    public var videos: Int
    /// The size of all files in bytes.
    public var usage: Int
    /// The size of all photos in bytes.
    public var usagePhotos: Int
    /// The size of all videos in bytes.
    public var usageVideos: Int
    /// The storage use of each person.
    public var usageByUser: [Usage]

    /// Creates statistics with the sums over all people.
    public init(_ usageByUser: [Usage]) {
        self.usageByUser = usageByUser
        photos = usageByUser.reduce(0) { $0 + $1.photos }
        videos = usageByUser.reduce(0) { $0 + $1.videos }
        usage = usageByUser.reduce(0) { $0 + $1.usage }
        usagePhotos = usageByUser.reduce(0) { $0 + $1.usagePhotos }
        usageVideos = usageByUser.reduce(0) { $0 + $1.usageVideos }
    }
}
