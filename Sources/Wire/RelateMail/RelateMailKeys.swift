/// The body of `POST /api/smtp-credentials`.
///
/// Source: RM-6; contract of Relate Mail, endpoint table and rules 12 and 13.
public struct RelateMailKeyRequest: Codable, Sendable, Equatable {
    /// What the key is called, 1 to 100 characters; the server refuses a body without it.
    public var name: String?
    /// Its scopes; none asks for all.
    public var scopes: [String]?
    /// When the key expires, in the format of RFC 3339; nil leaves it to the server. latchd reads this member, other servers
    /// ignore it.
    public var expiresAt: String?

    /// Makes a body.
    public init(name: String, scopes: [String]? = nil, expiresAt: String? = nil) {
        self.name = name
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /api/smtp-credentials/mobile`.
///
/// Source: contract of Relate Mail, endpoint table.
public struct RelateMailMobileKeyRequest: Codable, Sendable, Equatable {
    /// What the device is called.
    public var deviceName: String?
    /// What it is: `ios`, `android`, `windows`, `macos`, `web`; this project's servers know `linux` too.
    public var platform: String?
    /// The same as ``RelateMailKeyRequest/expiresAt``.
    public var expiresAt: String?

    /// Makes a body.
    public init(deviceName: String, platform: String) {
        self.deviceName = deviceName
        self.platform = platform
    }
}

/// The answer to a key that was made; the only one that holds it.
///
/// Source: RM-6; contract of Relate Mail, rules 9 and 16.
public struct RelateMailCreatedKey: Codable, Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The key's public id.
    public var id: String
    /// What it is called.
    public var name: String
    /// The key: 44 characters of standard Base64.
    public var apiKey: String
    /// What it may be used for, which may be less than was asked for.
    public var scopes: [String]
    /// When it was made.
    public var createdAt: String
    /// When the key expires; nil when it does not.
    public var expiresAt: String?

    /// Makes an answer.
    public init(
        id: String, name: String, apiKey: String, scopes: [String], createdAt: String, expiresAt: String? = nil
    ) {
        self.id = id
        self.name = name
        self.apiKey = apiKey
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The id; the key is never described.
    public var description: String { "RelateMailCreatedKey \(id)" }

    /// A mirror without the key.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "name": name, "scopes": scopes]) }
}

/// One key of ``RelateMailKeyList``.
public struct RelateMailKey: Codable, Sendable, Equatable {
    /// The key's public id.
    public var id: String
    /// What it is called.
    public var name: String
    /// When it was made.
    public var createdAt: String
    /// When it was last used, if it was.
    public var lastUsedAt: String?
    /// When the key expires; nil when it does not, and then the member is left out, as other servers do not have it.
    public var expiresAt: String?
    /// Whether it is good; only such are listed.
    public var isActive: Bool
    /// What it may be used for.
    public var scopes: [String]

    /// Makes a row.
    public init(
        id: String, name: String, createdAt: String, lastUsedAt: String?, expiresAt: String? = nil,
        isActive: Bool = true, scopes: [String]
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.isActive = isActive
        self.scopes = scopes
    }

    enum CodingKeys: String, CodingKey {
        case id, name, createdAt, lastUsedAt, expiresAt, isActive, scopes
    }

    /// Reads a row; scopes, times and `isActive` may be missing or `null`.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decode(String.self, forKey: .name)
        createdAt = try members.decodeIfPresent(String.self, forKey: .createdAt) ?? ""
        lastUsedAt = try members.decodeIfPresent(String.self, forKey: .lastUsedAt)
        expiresAt = try members.decodeIfPresent(String.self, forKey: .expiresAt)
        isActive = try members.decodeIfPresent(Bool.self, forKey: .isActive) ?? true
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
    }

    /// Writes every member; what there is not is `null`.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(id, forKey: .id)
        try members.encode(name, forKey: .name)
        try members.encode(createdAt, forKey: .createdAt)
        try members.encode(lastUsedAt, forKey: .lastUsedAt)
        try members.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try members.encode(isActive, forKey: .isActive)
        try members.encode(scopes, forKey: .scopes)
    }
}

/// The answer of `GET /api/smtp-credentials`.
///
/// Source: RM-8; contract of Relate Mail, endpoint table.
public struct RelateMailKeyList: Codable, Sendable, Equatable {
    /// How mail programs reach the server.
    public var connectionInfo: RelateMailConnectionInfo
    /// The keys that are good, newest first.
    public var keys: [RelateMailKey]

    /// Makes an answer.
    public init(connectionInfo: RelateMailConnectionInfo, keys: [RelateMailKey]) {
        self.connectionInfo = connectionInfo
        self.keys = keys
    }
}

/// The keys of ``RelateMailKeyList`` alone: a client that asks for them needs nothing of the mail servers.
///
/// Source: RM-8.
public struct RelateMailListedKeys: Decodable, Sendable, Equatable {
    /// The keys that are good, newest first.
    public var keys: [RelateMailKey]
}
