import HTTPMessages

/// The response to `GET` and `PUT /api/profile`: the signed-in person.
///
/// Times are ISO 8601 text with an offset and up to seven digits of a fraction. Clients should parse them leniently.
///
/// Source: docs/protocols/relate-mail.md, Profile and Formats.
package struct RelateMailProfile: Codable, Sendable, Equatable {
    /// An additional address of the person.
    package struct Address: Codable, Sendable, Equatable {
        /// The id of the address.
        package var id: String
        /// The e-mail address.
        package var address: String
        /// Whether the address was verified.
        package var isVerified: Bool
        /// When the address was added.
        var addedAt: String
    }

    /// The person's id.
    package var id: String
    /// The e-mail address.
    package var email: String
    /// The display name. Nil when there is none.
    package var displayName: String?
    /// When the account was created.
    package var createdAt: String
    /// When the person last signed in. Nil for never.
    package var lastLoginAt: String?
    /// The additional addresses of the person.
    package var additionalAddresses: [Address]

    /// Creates a response.
    package init(
        id: String, email: String, displayName: String?, createdAt: String, lastLoginAt: String?,
        additionalAddresses: [Address] = []
    ) {
        self.id = id
        self.email = email
        self.displayName = displayName
        self.createdAt = createdAt
        self.lastLoginAt = lastLoginAt
        self.additionalAddresses = additionalAddresses
    }

    enum CodingKeys: String, CodingKey {
        case id, email, displayName, createdAt, lastLoginAt, additionalAddresses
    }

    /// Decodes a response. Only `id` and `email` are required.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        email = try members.decode(String.self, forKey: .email)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        createdAt = try members.decodeIfPresent(String.self, forKey: .createdAt) ?? ""
        lastLoginAt = try members.decodeIfPresent(String.self, forKey: .lastLoginAt)
        additionalAddresses = try members.decodeIfPresent([Address].self, forKey: .additionalAddresses) ?? []
    }

    /// Encodes every member. Members without a value are `null`.
    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(email, forKey: .email)
        try members.encode(displayName, forKey: .displayName)
        try members.encode(createdAt, forKey: .createdAt)
        try members.encode(lastLoginAt, forKey: .lastLoginAt)
        try members.encode(additionalAddresses, forKey: .additionalAddresses)
    }
}

/// The body of `PUT /api/profile`: the changes to the profile.
package struct RelateMailProfileChange: Codable, Sendable, Equatable {
    /// The new display name. Nil leaves it unchanged.
    package var displayName: String?

    /// Creates a request body.
    package init(displayName: String?) {
        self.displayName = displayName
    }
}
