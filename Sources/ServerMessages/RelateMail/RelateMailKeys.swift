import HTTPMessages

/// The body of `POST /api/smtp-credentials`.
///
/// Source: RM-6; docs/protocols/relate-mail.md, Creating a key.
package struct RelateMailKeyRequest: Codable, Sendable, Equatable {
    /// The name of the key, 1 to 100 characters. The server refuses a body without it.
    package var name: String?
    /// The scopes of the key. Nil or an empty list requests all scopes.
    package var scopes: [String]?
    /// When the key expires, in the format of RFC 3339. Nil leaves it to the server. latchd reads this member; other
    /// servers ignore it.
    package var expiresAt: String?

    /// Creates a request body.
    package init(name: String, scopes: [String]? = nil, expiresAt: String? = nil) {
        self.name = name
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /api/smtp-credentials/mobile`.
///
/// Source: docs/protocols/relate-mail.md, Creating a key.
package struct RelateMailMobileKeyRequest: Codable, Sendable, Equatable {
    /// The name of the device.
    package var deviceName: String?
    /// The platform of the device: `ios`, `android`, `windows`, `macos` or `web`. latchd also accepts `linux`.
    package var platform: String?
    /// When the key expires, as in ``RelateMailKeyRequest/expiresAt``.
    package var expiresAt: String?

    /// Creates a request body.
    package init(deviceName: String, platform: String) {
        self.deviceName = deviceName
        self.platform = platform
    }
}

/// The response to the creation of a key. It is the only response that contains the key.
///
/// Source: RM-6; docs/protocols/relate-mail.md, API keys and Creating a key.
package struct RelateMailCreatedKey: Codable, Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The key's public id.
    package var id: String
    /// The name of the key.
    package var name: String
    /// The key: 44 characters of standard Base64.
    package var apiKey: String
    /// The scopes of the key, which may be fewer than requested.
    package var scopes: [String]
    /// When the key was created.
    package var createdAt: String
    /// When the key expires. Nil when it does not.
    package var expiresAt: String?

    /// Creates a response.
    package init(
        id: String, name: String, apiKey: String, scopes: [String], createdAt: String, expiresAt: String? = nil
    ) {
        self.id = id
        self.name = name
        self.apiKey = apiKey
        self.scopes = scopes
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// The name of the type and the id, without the key.
    package var description: String { "RelateMailCreatedKey \(id)" }

    /// A mirror without the key.
    package var customMirror: Mirror { Mirror(self, children: ["id": id, "name": name, "scopes": scopes]) }
}

/// One key of ``RelateMailKeyList``.
package struct RelateMailKey: Codable, Sendable, Equatable {
    /// The key's public id.
    package var id: String
    /// The name of the key.
    package var name: String
    /// When the key was created.
    package var createdAt: String
    /// When the key was last used. Nil when it never was.
    package var lastUsedAt: String?
    /// When the key expires. Nil when it does not. The member is then left out, because other servers do not have it.
    package var expiresAt: String?
    /// Whether the key is valid. Only valid keys are listed.
    package var isActive: Bool
    /// The scopes of the key.
    package var scopes: [String]

    /// Creates an entry of the list.
    package init(
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

    /// Decodes an entry. Scopes, times and `isActive` may be missing or `null`.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        name = try members.decode(String.self, forKey: .name)
        createdAt = try members.decodeIfPresent(String.self, forKey: .createdAt) ?? ""
        lastUsedAt = try members.decodeIfPresent(String.self, forKey: .lastUsedAt)
        expiresAt = try members.decodeIfPresent(String.self, forKey: .expiresAt)
        isActive = try members.decodeIfPresent(Bool.self, forKey: .isActive) ?? true
        scopes = try members.decodeIfPresent([String].self, forKey: .scopes) ?? []
    }

    /// Encodes the entry. Members without a value are `null`, except `expiresAt`, which is left out.
    package func encode(to encoder: any Encoder) throws {
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

/// The response to `GET /api/smtp-credentials`.
///
/// Source: RM-8; docs/protocols/relate-mail.md, List of keys.
package struct RelateMailKeyList: Codable, Sendable, Equatable {
    /// The connection settings for mail programs.
    package var connectionInfo: RelateMailConnectionInfo
    /// The valid keys, newest first.
    package var keys: [RelateMailKey]

    /// Creates a response.
    package init(connectionInfo: RelateMailConnectionInfo, keys: [RelateMailKey]) {
        self.connectionInfo = connectionInfo
        self.keys = keys
    }
}

/// The keys of ``RelateMailKeyList``, without the connection settings. For clients that do not need those.
///
/// Source: RM-8.
package struct RelateMailListedKeys: Decodable, Sendable, Equatable {
    /// The valid keys, newest first.
    package var keys: [RelateMailKey]
}
