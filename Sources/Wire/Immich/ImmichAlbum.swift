/// An album, at `GET /albums` and `GET /albums/{id}`.
///
/// Source: `AlbumResponseDto` of 3.1.0.
public struct ImmichAlbum: Codable, Sendable, Equatable {
    /// The id.
    public var id: String
    /// The name to show.
    public var albumName: String
    /// What it is about.
    public var description = ""
    /// The id of the person whose it is.
    public var ownerId: String
    /// The photograph that stands for it.
    @Nullable public var albumThumbnailAssetId: String?
    /// Who can see the album, the owner first; latchd never sends an empty list.
    public var albumUsers: [JSONValue] = []
    /// How many photographs and films are in it.
    public var assetCount: Int
    /// When it was first known of.
    public var createdAt: String
    /// When something in it last changed.
    public var updatedAt: String
    /// When its oldest photograph was taken.
    public var startDate: String?
    /// When its newest photograph was taken.
    public var endDate: String?
    /// Whether there is an address that shows it to anybody.
    public var hasSharedLink = false
    /// Whether people may write about it.
    public var isActivityEnabled = false
    /// Whether several people see it.
    public var shared: Bool
    /// `asc` or `desc`.
    public var order: String? = "desc"

    /// Makes an album.
    public init(
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
public struct ImmichAlbumUser: Sendable, Equatable {
    /// What a person may do with an album.
    public enum Role: String, Sendable {
        /// The album belongs to the person.
        case owner
        /// The person can see the album.
        case viewer
    }

    /// The person.
    public var user: ImmichUser
    /// What the person may do.
    public var role: Role

    /// Makes an entry.
    public init(_ user: ImmichUser, _ role: Role) {
        self.user = user
        self.role = role
    }

    /// The entry as JSON: the person as other people see them, and the role.
    public var json: JSONValue {
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

/// The answer to `GET /people`: whose faces are known. Of a server of ours nobody's.
///
/// Source: `PeopleResponseDto` of 3.1.0.
public struct ImmichPeople: Codable, Sendable, Equatable {
    /// The people.
    public var people: [JSONValue] = []
    /// How many there are.
    public var total = 0
    /// How many are not shown.
    public var hidden = 0
    /// Whether there are more.
    public var hasNextPage = false

    /// Makes an answer with nobody.
    public init() {}
}
