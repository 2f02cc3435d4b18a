import HTTPMessages

/// The response to `GET /api/discovery`: the versions and features of the server.
///
/// Source: RM-4; docs/protocols/relate-mail.md, Discovery.
package struct RelateMailDiscovery: Codable, Sendable, Equatable {
    /// The version of the server.
    package var version: String
    /// The version of the API.
    package var apiVersion: String
    /// Whether people can sign in through an identity provider.
    package var oidcEnabled: Bool
    /// The features of the server, such as `smtp`, `imap`, `api-keys`.
    package var features: [String]

    /// Creates a response.
    package init(version: String = "1.0.0", apiVersion: String = "v1", oidcEnabled: Bool, features: [String]) {
        self.version = version
        self.apiVersion = apiVersion
        self.oidcEnabled = oidcEnabled
        self.features = features
    }

    /// Decodes a response. `oidcEnabled` and `features` are required; the versions may be missing.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        version = try members.decodeIfPresent(String.self, forKey: .version) ?? ""
        apiVersion = try members.decodeIfPresent(String.self, forKey: .apiVersion) ?? ""
        oidcEnabled = try members.decode(Bool.self, forKey: .oidcEnabled)
        features = try members.decode([String].self, forKey: .features)
    }
}

/// The response to `GET /config/config.json`: how an app signs people in at the identity provider. Values that are not
/// set are empty.
///
/// Source: RM-4; docs/protocols/relate-mail.md, Sign-in configuration.
package struct RelateMailConfiguration: Codable, Sendable, Equatable {
    /// The address of the provider, to which `/.well-known/openid-configuration` is appended.
    package var oidcAuthority: String
    /// The client id of the apps at the provider. The client has no secret.
    package var oidcClientId: String
    /// The address to which the provider redirects the browser. Used only by the app in the browser.
    package var oidcRedirectUri: String
    /// The requested scopes, separated by spaces.
    package var oidcScope: String

    /// The scopes that are requested unless the server specifies others.
    package static let standardScope = "openid profile email"

    /// Creates a response.
    package init(
        oidcAuthority: String = "", oidcClientId: String = "", oidcRedirectUri: String = "",
        oidcScope: String = Self.standardScope
    ) {
        self.oidcAuthority = oidcAuthority
        self.oidcClientId = oidcClientId
        self.oidcRedirectUri = oidcRedirectUri
        self.oidcScope = oidcScope
    }

    /// Decodes a response. Every member may be missing, because either the server or a file next to its pages provides
    /// the response, and neither must set every member.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        oidcAuthority = try members.decodeIfPresent(String.self, forKey: .oidcAuthority) ?? ""
        oidcClientId = try members.decodeIfPresent(String.self, forKey: .oidcClientId) ?? ""
        oidcRedirectUri = try members.decodeIfPresent(String.self, forKey: .oidcRedirectUri) ?? ""
        oidcScope = try members.decodeIfPresent(String.self, forKey: .oidcScope) ?? ""
    }
}
