/// The answer of `GET /api/discovery`: what the server is and can do.
///
/// Source: RM-4; contract of Relate Mail, rule 1.
public struct RelateMailDiscovery: Codable, Sendable, Equatable {
    /// The server's version.
    public var version: String
    /// The interface's version.
    public var apiVersion: String
    /// Whether people sign in through an identity provider.
    public var oidcEnabled: Bool
    /// What there is, as `smtp`, `imap`, `api-keys`.
    public var features: [String]

    /// Makes an answer.
    public init(version: String = "1.0.0", apiVersion: String = "v1", oidcEnabled: Bool, features: [String]) {
        self.version = version
        self.apiVersion = apiVersion
        self.oidcEnabled = oidcEnabled
        self.features = features
    }

    /// Reads an answer; of what such a server says, `oidcEnabled` and `features` must be there, versions may be missing.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        version = try members.decodeIfPresent(String.self, forKey: .version) ?? ""
        apiVersion = try members.decodeIfPresent(String.self, forKey: .apiVersion) ?? ""
        oidcEnabled = try members.decode(Bool.self, forKey: .oidcEnabled)
        features = try members.decode([String].self, forKey: .features)
    }
}

/// The answer of `GET /config/config.json`: how an app signs people in at the identity provider. What is not set is empty.
///
/// Source: RM-4; contract of Relate Mail, endpoint table and rule 2.
public struct RelateMailConfiguration: Codable, Sendable, Equatable {
    /// The provider's address, before `/.well-known/openid-configuration`.
    public var oidcAuthority: String
    /// What the provider calls the apps: a client without a secret.
    public var oidcClientId: String
    /// Where the provider sends the browser back to, for the app in the browser alone.
    public var oidcRedirectUri: String
    /// What is asked for, parted by blanks.
    public var oidcScope: String

    /// What is asked for unless the server says otherwise.
    public static let standardScope = "openid profile email"

    /// Makes an answer.
    public init(
        oidcAuthority: String = "", oidcClientId: String = "", oidcRedirectUri: String = "",
        oidcScope: String = Self.standardScope
    ) {
        self.oidcAuthority = oidcAuthority
        self.oidcClientId = oidcClientId
        self.oidcRedirectUri = oidcRedirectUri
        self.oidcScope = oidcScope
    }

    /// Reads an answer: the server and the file beside its pages each make one, and neither must set everything.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        oidcAuthority = try members.decodeIfPresent(String.self, forKey: .oidcAuthority) ?? ""
        oidcClientId = try members.decodeIfPresent(String.self, forKey: .oidcClientId) ?? ""
        oidcRedirectUri = try members.decodeIfPresent(String.self, forKey: .oidcRedirectUri) ?? ""
        oidcScope = try members.decodeIfPresent(String.self, forKey: .oidcScope) ?? ""
    }
}
