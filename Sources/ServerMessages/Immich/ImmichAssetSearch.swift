package import HTTPMessages

/// The response to `POST /search/metadata`: one page of results.
///
/// Source: docs/protocols/immich.md, Lists; `SearchResponseDto` of 3.1.0.
package struct ImmichSearchResponse: Codable, Sendable, Equatable {
    /// The results of one kind.
    package struct Part<Item: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
        /// The number of items on this page.
        package var total: Int
        /// The number of items on this page, as in ``total``.
        package var count: Int
        /// The items found.
        package var items: [Item]
        /// The number of the next page, as text. Null on the last page, and for a kind of results without pages.
        @Nullable package var nextPage: String?
        /// The facets of the results. Always empty.
        var facets: [JSONValue]

        /// Creates results of one kind.
        package init(_ items: [Item], nextPage: Int? = nil) {
            total = items.count
            count = items.count
            self.items = items
            _nextPage = Nullable(wrappedValue: nextPage.map(String.init))
            facets = []
        }
    }

    /// The albums found. Always empty, because this search finds no albums.
    package var albums: Part<JSONValue>
    /// The photos and videos found.
    package var assets: Part<ImmichAsset>

    /// Creates a response.
    package init(_ assets: [ImmichAsset], nextPage: Int?) {
        albums = Part([])
        self.assets = Part(assets, nextPage: nextPage)
    }
}

/// The response to `GET /assets/statistics`.
///
/// Source: `AssetStatsResponseDto` of 3.1.0.
package struct ImmichAssetStatistics: Codable, Sendable, Equatable {
    /// The number of photos.
    package var images: Int
    /// The number of videos.
    package var videos: Int
    /// The number of photos and videos.
    package var total: Int

    /// Creates a response.
    package init(images: Int, videos: Int) {
        self.images = images
        self.videos = videos
        total = images + videos
    }
}

/// The response to `GET /server/statistics`, for administrators.
///
/// Source: `ServerStatsResponseDto` of 3.1.0.
package struct ImmichServerStatistics: Codable, Sendable, Equatable {
    /// The storage use of one person.
    package struct Usage: Codable, Sendable, Equatable {
        /// The person's id.
        package var userId: String
        /// The person's name.
        package var userName: String
        /// The number of photos.
        package var photos: Int
        /// The number of videos.
        package var videos: Int
        /// The size of all files in bytes.
        package var usage: Int
        /// The size of all photos in bytes.
        package var usagePhotos: Int
        /// The size of all videos in bytes.
        package var usageVideos: Int
        /// The person's storage quota in bytes. Null for no quota.
        @Nullable var quotaSizeInBytes: Int?

        /// Creates the storage use of one person, without a quota.
        package init(
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
    package var photos: Int
    /// The number of videos.
    package var videos: Int
    /// The size of all files in bytes.
    package var usage: Int
    /// The size of all photos in bytes.
    package var usagePhotos: Int
    /// The size of all videos in bytes.
    package var usageVideos: Int
    /// The storage use of each person.
    var usageByUser: [Usage]

    /// Creates statistics with the sums over all people.
    package init(_ usageByUser: [Usage]) {
        self.usageByUser = usageByUser
        photos = usageByUser.reduce(0) { $0 + $1.photos }
        videos = usageByUser.reduce(0) { $0 + $1.videos }
        usage = usageByUser.reduce(0) { $0 + $1.usage }
        usagePhotos = usageByUser.reduce(0) { $0 + $1.usagePhotos }
        usageVideos = usageByUser.reduce(0) { $0 + $1.usageVideos }
    }
}
