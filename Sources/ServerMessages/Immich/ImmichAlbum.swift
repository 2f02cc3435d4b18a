package import HTTPMessages

/// An album, at `GET /albums` and `GET /albums/{id}`.
///
/// Source: `AlbumResponseDto` of 3.1.0.
package struct ImmichAlbum: Codable, Sendable, Equatable {
    /// The id of the album.
    package var id: String
    /// The display name of the album.
    package var albumName: String
    /// The description of the album. Default: empty.
    package var description = ""
    /// The id of the owner.
    package var ownerId: String
    /// The id of the asset that is the album's cover. Null when there is none.
    @Nullable var albumThumbnailAssetId: String?
    /// The people who can see the album, the owner first. latchd never sends an empty list.
    package var albumUsers: [JSONValue] = []
    /// The number of photos and videos in the album.
    package var assetCount: Int
    /// When the album was created.
    package var createdAt: String
    /// When the album or an asset in it last changed.
    package var updatedAt: String
    /// When the oldest asset of the album was taken.
    package var startDate: String?
    /// When the newest asset of the album was taken.
    package var endDate: String?
    /// Whether a link exists that shows the album to anyone who has it. Default: false.
    var hasSharedLink = false
    /// Whether people may comment on the album. Default: false.
    var isActivityEnabled = false
    /// Whether the album is shared with other people.
    package var shared: Bool
    /// The order of the assets: `asc` or `desc`. Default: `desc`.
    package var order: String? = "desc"

    /// Creates an album.
    package init(
        id: String, albumName: String, ownerId: String, cover: String?, assetCount: Int, createdAt: String,
        updatedAt: String, shared: Bool
    ) {
        self.id = id
        self.albumName = albumName
        self.ownerId = ownerId
        _albumThumbnailAssetId = Nullable(wrappedValue: cover)
        self.assetCount = assetCount
        self.createdAt = createdAt
        self.updatedAt = updatedAt
        self.shared = shared
    }
}

/// A person who can see an album.
///
/// Source: `AlbumUserResponseDto` and `UserResponseDto` of 3.1.0.
package struct ImmichAlbumUser: Sendable, Equatable {
    /// The role of a person in an album.
    package enum Role: String, Sendable {
        /// The owner of the album.
        case owner
        /// A person who can view the album.
        case viewer
    }

    /// The person who can see the album.
    package var user: ImmichUser
    /// The role of the person.
    package var role: Role

    /// Creates an entry.
    package init(_ user: ImmichUser, _ role: Role) {
        self.user = user
        self.role = role
    }

    /// The entry as JSON: the person's public profile and the role.
    package var json: JSONValue {
        [
            "role": .string(role.rawValue),
            "user": [
                "id": .string(user.id), "email": .string(user.email), "name": .string(user.name),
                "avatarColor": .string(user.avatarColor), "profileImagePath": .string(user.profileImagePath),
                "profileChangedAt": .string(user.profileChangedAt),
            ],
        ]
    }
}

/// The response to `GET /people`: the people whose faces were recognized. Always empty from latchd.
///
/// Source: `PeopleResponseDto` of 3.1.0.
package struct ImmichPeople: Codable, Sendable, Equatable {
    /// The recognized people.
    package var people: [JSONValue] = []
    /// The number of people.
    package var total = 0
    /// The number of hidden people.
    package var hidden = 0
    /// Whether there is a next page.
    var hasNextPage = false

    /// Creates a response without people.
    package init() {}
}
