package import HTTPMessages

/// The signed-in person, at `GET /me`.
///
/// Source: OX-8; Onyx `UserInfo`, of which the app reads `id`, `email`, `is_active` and `preferences`.
package struct OnyxUser: Codable, Sendable, Equatable {
    /// The person's id.
    package var id: String
    /// The e-mail address in lower case.
    package var email: String
    /// Whether the person may sign in.
    package var isActive: Bool
    /// Whether the person administers the server.
    var isSuperuser: Bool?
    /// Whether the e-mail address was verified.
    package var isVerified: Bool?
    /// The kind of account: `STANDARD` for a person.
    var accountType: String?
    /// The settings of the person.
    package var preferences: JSONValue?
    /// The information that the person gave about themselves, including `name`.
    package var personalization: JSONValue?
    /// When the token expires, ISO 8601 in UTC. Nil when the server does not send it.
    package var tokenExpiresAt: String?
    /// Whether the person administers the whole service.
    var isCloudSuperuser: Bool?
    /// The name of the person's team.
    var teamName: String?
    /// Whether this is the anonymous user of a server that can be used without signing in.
    package var isAnonymousUser: Bool?
    /// Whether the person has a password.
    var passwordConfigured: Bool?
    /// The permissions of the person.
    package var effectivePermissions: [String]?

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

    /// Creates a person.
    package init(id: String, email: String, isActive: Bool) {
        self.id = id
        self.email = email
        self.isActive = isActive
    }
}
