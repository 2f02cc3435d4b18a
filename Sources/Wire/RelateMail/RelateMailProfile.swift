/// The answer of `GET` and `PUT /api/profile`: who is signed in.
///
/// Times are text, by ISO 8601 with an offset and up to seven digits of a fraction: read them leniently.
///
/// Source: contract of Relate Mail, endpoint table.
public struct RelateMailProfile: Codable, Sendable, Equatable {
    /// A further address of the person.
    public struct Address: Codable, Sendable, Equatable {
        /// The address's id.
        public var id: String
        /// The address.
        public var address: String
        /// Whether it was proved.
        public var isVerified: Bool
        /// When it was added.
        public var addedAt: String
    }

    /// The person's id.
    public var id: String
    /// The e-mail address.
    public var email: String
    /// The name to show, if there is one.
    public var displayName: String?
    /// When the account was made.
    public var createdAt: String
    /// When the person last signed in.
    public var lastLoginAt: String?
    /// Further addresses.
    public var additionalAddresses: [Address]

    /// Makes an answer.
    public init(
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

    /// Reads an answer; only `id` and `email` must be there.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        email = try members.decode(String.self, forKey: .email)
        displayName = try members.decodeIfPresent(String.self, forKey: .displayName)
        createdAt = try members.decodeIfPresent(String.self, forKey: .createdAt) ?? ""
        lastLoginAt = try members.decodeIfPresent(String.self, forKey: .lastLoginAt)
        additionalAddresses = try members.decodeIfPresent([Address].self, forKey: .additionalAddresses) ?? []
    }

    /// Writes every member; what there is not is `null`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(email, forKey: .email)
        try members.encode(displayName, forKey: .displayName)
        try members.encode(createdAt, forKey: .createdAt)
        try members.encode(lastLoginAt, forKey: .lastLoginAt)
        try members.encode(additionalAddresses, forKey: .additionalAddresses)
    }
}

/// The body of `PUT /api/profile`.
public struct RelateMailProfileChange: Codable, Sendable, Equatable {
    /// The new name; nil leaves it.
    public var displayName: String?

    /// Makes a body.
    public init(displayName: String?) {
        self.displayName = displayName
    }
}
