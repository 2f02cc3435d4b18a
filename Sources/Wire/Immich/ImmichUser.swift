/// Who is signed in, at `GET /users/me` and wherever a person is answered.
///
/// Source: IM-10; contract of Immich, shapes, `UserAdminResponse`.
public struct ImmichUser: Codable, Sendable, Equatable {
    /// The person's id.
    public var id: String
    /// The address.
    public var email: String
    /// The name to show.
    public var name: String
    /// Where a picture of the person is; empty for none.
    public var profileImagePath: String
    /// The colour that stands for the person where there is no picture.
    public var avatarColor: String
    /// When the picture was last changed.
    public var profileChangedAt: String
    /// The name of the person's folder.
    @Nullable public var storageLabel: String?
    /// Whether the person must choose another password first.
    public var shouldChangePassword: Bool
    /// Whether the person administers the server.
    public var isAdmin: Bool
    /// When the person was added.
    public var createdAt: String
    /// When something of this was last changed.
    public var updatedAt: String
    /// When the person was removed.
    @Nullable public var deletedAt: String?
    /// The person's name at the identity provider; empty for none.
    public var oauthId: String
    /// How much the person may store.
    @Nullable public var quotaSizeInBytes: Int?
    /// How much the person has stored.
    @Nullable public var quotaUsageInBytes: Int?
    /// `active`, `removing` or `deleted`.
    public var status: String
    /// The person's licence; of a server of ours always none.
    @Nullable public var license: JSONValue?
    /// The group of people whose faces are recognised together, from 3.3.0 on; latchd sends the person's own id.
    public var clusterGroupId: String?

    /// The colours that there are.
    public static let avatarColors = [
        "primary", "pink", "red", "yellow", "blue", "green", "purple", "orange", "gray", "amber",
    ]

    /// Makes a person who is active.
    public init(id: String, email: String, name: String, createdAt: String) {
        self.id = id
        self.email = email
        self.name = name
        self.createdAt = createdAt
        profileImagePath = ""
        avatarColor = Self.avatarColors[0]
        profileChangedAt = createdAt
        shouldChangePassword = false
        isAdmin = false
        updatedAt = createdAt
        oauthId = ""
        status = "active"
        _storageLabel = Nullable(wrappedValue: nil)
        _deletedAt = Nullable(wrappedValue: nil)
        _quotaSizeInBytes = Nullable(wrappedValue: nil)
        _quotaUsageInBytes = Nullable(wrappedValue: nil)
        _license = Nullable(wrappedValue: nil)
    }
}

/// The body of `PUT` and `PATCH /users/me`: what shall be another.
///
/// Source: IM-12; contract of Immich, endpoints.
public struct ImmichUserUpdate: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The address.
    public var email: String?
    /// A new password, where the server asks for one.
    public var password: String?
    /// The name to show.
    public var name: String?
    /// The colour.
    public var avatarColor: String?

    /// Makes a body.
    public init(email: String? = nil, password: String? = nil, name: String? = nil, avatarColor: String? = nil) {
        self.email = email
        self.password = password
        self.name = name
        self.avatarColor = avatarColor
    }

    /// Without the password.
    public var description: String { "ImmichUserUpdate" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The body of `POST /auth/admin-sign-up`.
///
/// Source: contract of Immich, endpoints.
public struct ImmichSignUp: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The address.
    public var email: String
    /// The password, in the clear.
    public var password: String
    /// The name to show.
    public var name: String

    /// Makes a body.
    public init(email: String, password: String, name: String) {
        self.email = email
        self.password = password
        self.name = name
    }

    /// Without the password.
    public var description: String { "ImmichSignUp" }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
