/// Who is signed in, at `GET /me`.
///
/// Source: OX-8; Onyx `UserInfo`, of which the app reads `id`, `email`, `is_active` and `preferences`.
public struct OnyxUser: Codable, Sendable, Equatable {
    /// The person's id.
    public var id: String
    /// The address, lower-cased.
    public var email: String
    /// Whether the person may sign in.
    public var isActive: Bool
    /// Whether the person administers the server.
    public var isSuperuser: Bool?
    /// Whether the address was proved.
    public var isVerified: Bool?
    /// The kind of account, `STANDARD` for a person.
    public var accountType: String?
    /// Settings of the person.
    public var preferences: JSONValue?
    /// What the person told about themselves; `name` among them.
    public var personalization: JSONValue?
    /// When the token ends, ISO 8601 in UTC; nil where a server does not tell.
    public var tokenExpiresAt: String?
    /// Whether the person administers the whole service.
    public var isCloudSuperuser: Bool?
    /// The team's name.
    public var teamName: String?
    /// Whether nobody is signed in and the server is open.
    public var isAnonymousUser: Bool?
    /// Whether the person has a password.
    public var passwordConfigured: Bool?
    /// What the person may do.
    public var effectivePermissions: [String]?

    enum CodingKeys: String, CodingKey {
        case id, email, preferences, personalization
        case isActive = "is_active"
        case isSuperuser = "is_superuser"
        case isVerified = "is_verified"
        case accountType = "account_type"
        case tokenExpiresAt = "token_expires_at"
        case isCloudSuperuser = "is_cloud_superuser"
        case teamName = "team_name"
        case isAnonymousUser = "is_anonymous_user"
        case passwordConfigured = "password_configured"
        case effectivePermissions = "effective_permissions"
    }

    /// Makes a person.
    public init(id: String, email: String, isActive: Bool) {
        self.id = id
        self.email = email
        self.isActive = isActive
    }
}
