public import FoundationEssentials

/// Who a person is, as an identity provider says and as far as it was checked.
public struct ProviderIdentity: Codable, Sendable, Equatable {
    /// The provider's name for itself.
    public var issuer: String
    /// The person's name at the provider, 1 to 255 bytes: never given to another person, and it means nothing elsewhere.
    public var subject: String
    /// The person's e-mail address, if told.
    public var email: String?
    /// Whether the provider says that the address is the person's own.
    public var isEmailVerified: Bool
    /// What the person is called, if told.
    public var name: String?
    /// The session at the provider, if told.
    public var sessionID: String?
    /// When the person signed in at the provider, if told; 1970 for a time that cannot be read.
    public var authenticated: Date?
    /// When the access token was issued (`iat`), where the identity comes from one and it has the claim.
    public var issued: Date?
    /// The groups that the person is in, when they are asked for and told: 200 at most, none with a control character.
    public var groups: [String]

    /// Makes an identity.
    public init(
        issuer: String, subject: String, email: String? = nil, isEmailVerified: Bool = false, name: String? = nil,
        sessionID: String? = nil, authenticated: Date? = nil, issued: Date? = nil,
        groups: [String] = []
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
    }
}
