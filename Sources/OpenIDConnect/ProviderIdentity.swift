package import FoundationEssentials

/// A person's verified identity from an identity provider.
package struct ProviderIdentity: Codable, Sendable, Equatable {
    /// The issuer identifier of the provider.
    package var issuer: String
    /// The subject: the person's id at the provider, 1 to 255 bytes. It is never reassigned and is unique only at this
    /// provider.
    package var subject: String
    /// The person's e-mail address. Nil when the provider does not say.
    package var email: String?
    /// Whether the provider has verified that the address belongs to the person.
    package var isEmailVerified: Bool
    /// The person's display name. Nil when the provider does not say.
    package var name: String?
    /// The id of the session at the provider. Nil when the provider does not say.
    package var sessionID: String?
    /// When the person signed in at the provider. Nil when the provider does not say; 1970 for an invalid time.
    package var authenticated: Date?
    /// How the person authenticated at the provider (`amr`). Nil when the provider does not say.
    package var methods: [String]?
    /// When the access token was issued (`iat`). Nil when the identity does not come from an access token or the claim
    /// is missing.
    package var issued: Date?
    /// The person's groups, at most 200, without control characters. Empty when they are not requested or the provider
    /// does not say.
    package var groups: [String]

    /// Makes an identity.
    package init(
        issuer: String, subject: String, email: String? = nil, isEmailVerified: Bool = false, name: String? = nil,
        sessionID: String? = nil, authenticated: Date? = nil, issued: Date? = nil,
        groups: [String] = [], methods: [String]? = nil
    ) {
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.name = name
        self.sessionID = sessionID
        self.authenticated = authenticated
        self.issued = issued
        self.groups = groups
        self.methods = methods
    }
}
