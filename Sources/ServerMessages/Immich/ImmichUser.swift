package import HTTPMessages

/// The signed-in person, at `GET /users/me` and in every response that contains a person.
///
/// Source: IM-10; docs/protocols/immich.md, The person.
package struct ImmichUser: Codable, Sendable, Equatable {
    /// The person's id.
    package var id: String
    /// The e-mail address.
    package var email: String
    /// The display name.
    package var name: String
    /// The path of the profile picture. Empty when there is none.
    package var profileImagePath: String
    /// The colour that represents the person where there is no picture.
    package var avatarColor: String
    /// When the profile picture last changed.
    package var profileChangedAt: String
    /// The name of the person's folder. Null when it is not set.
    @Nullable package var storageLabel: String?
    /// Whether the person must change the password first.
    package var shouldChangePassword: Bool
    /// Whether the person administers the server.
    package var isAdmin: Bool
    /// When the person was added.
    package var createdAt: String
    /// When the account last changed.
    package var updatedAt: String
    /// When the person was removed. Null for a person who was not.
    @Nullable package var deletedAt: String?
    /// The person's id at the identity provider. Empty when there is none.
    package var oauthId: String
    /// The storage quota in bytes. Null for no quota.
    @Nullable package var quotaSizeInBytes: Int?
    /// The used storage in bytes. Null when it is not known.
    @Nullable package var quotaUsageInBytes: Int?
    /// The status: `active`, `removing` or `deleted`.
    package var status: String
    /// The person's licence. Always null from latchd.
    @Nullable package var license: JSONValue?
    /// The id of the group of people whose faces are recognized together, from 3.3.0 on. latchd sends the person's own
    /// id.
    package var clusterGroupId: String?

    /// The allowed avatar colours.
    package static let avatarColors = [
        "primary", "pink", "red", "yellow", "blue", "green", "purple", "orange", "gray", "amber",
    ]

    /// Creates an active person.
    package init(id: String, email: String, name: String, createdAt: String) {
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

/// The body of `PUT` and `PATCH /users/me`: the changes. Nil members stay unchanged.
///
/// Source: IM-12; docs/protocols/immich.md, The person.
package struct ImmichUserUpdate: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The e-mail address.
    package var email: String?
    /// The new password, on servers that support it.
    package var password: String?
    /// The display name.
    package var name: String?
    /// The avatar colour.
    package var avatarColor: String?

    /// Creates a request body.
    package init(email: String? = nil, password: String? = nil, name: String? = nil, avatarColor: String? = nil) {
        self.email = email
        self.password = password
        self.name = name
        self.avatarColor = avatarColor
    }

    /// The name of the type, without the values.
    package var description: String { "ImmichUserUpdate" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
