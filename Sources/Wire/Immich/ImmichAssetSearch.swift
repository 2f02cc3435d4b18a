/// The answer to `POST /search/metadata`: one page of what was asked for.
///
/// Source: contract of Immich, endpoints; `SearchResponseDto` of 3.1.0.
public struct ImmichSearchAnswer: Codable, Sendable, Equatable {
    /// A part of the answer.
    public struct Part<Item: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
        /// How many there are on this page.
        public var total: Int
        /// The same.
        public var count: Int
        /// The things found.
        public var items: [Item]
        /// The number of the next page, as text; null on the last one, and in a part that has no pages.
        @Nullable public var nextPage: String?
        /// Always empty.
        public var facets: [JSONValue]

        /// Makes a part.
        public init(_ items: [Item], nextPage: Int? = nil) {
            total = items.count
            count = items.count
            self.items = items
            _nextPage = Nullable(wrappedValue: nextPage.map(String.init))
            facets = []
        }
    }

    /// Albums; nobody finds one this way.
    public var albums: Part<JSONValue>
    /// Photographs and films.
    public var assets: Part<ImmichAsset>

    /// Makes an answer.
    public init(_ assets: [ImmichAsset], nextPage: Int?) {
        albums = Part([])
        self.assets = Part(assets, nextPage: nextPage)
    }
}

/// The answer to `GET /assets/statistics`.
///
/// Source: `AssetStatsResponseDto` of 3.1.0.
public struct ImmichAssetStatistics: Codable, Sendable, Equatable {
    /// How many photographs there are.
    public var images: Int
    /// How many films.
    public var videos: Int
    /// How many together.
    public var total: Int

    /// Makes an answer.
    public init(images: Int, videos: Int) {
        self.images = images
        self.videos = videos
        total = images + videos
    }
}

/// The answer to `GET /server/statistics`, for administrators.
///
/// Source: `ServerStatsResponseDto` of 3.1.0.
public struct ImmichServerStatistics: Codable, Sendable, Equatable {
    /// What one person has.
    public struct Usage: Codable, Sendable, Equatable {
        /// The person's id.
        public var userId: String
        /// The person's name.
        public var userName: String
        /// How many photographs.
        public var photos: Int
        /// How many films.
        public var videos: Int
        /// The bytes of all.
        public var usage: Int
        /// The bytes of the photographs.
        public var usagePhotos: Int
        /// The bytes of the films.
        public var usageVideos: Int
        /// How much the person may store.
        @Nullable public var quotaSizeInBytes: Int?

        /// Makes a row.
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

    /// How many photographs.
    public var photos: Int
    /// How many films.
    public var videos: Int
    /// The bytes of all.
    public var usage: Int
    /// The bytes of the photographs.
    public var usagePhotos: Int
    /// The bytes of the films.
    public var usageVideos: Int
    /// Each person's.
    public var usageByUser: [Usage]

    /// Adds the people's up.
    public init(_ usageByUser: [Usage]) {
        self.usageByUser = usageByUser
        photos = usageByUser.reduce(0) { $0 + $1.photos }
        videos = usageByUser.reduce(0) { $0 + $1.videos }
        usage = usageByUser.reduce(0) { $0 + $1.usage }
        usagePhotos = usageByUser.reduce(0) { $0 + $1.usagePhotos }
        usageVideos = usageByUser.reduce(0) { $0 + $1.usageVideos }
    }
}
