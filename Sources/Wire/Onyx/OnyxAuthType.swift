/// What an Onyx server says of signing in, at `GET /auth/type`.
///
/// Older servers leave out ``multiTenant`` and have ``authType`` instead; either is proof that an Onyx server answered.
/// Fields that a server leaves out are nil.
///
/// Source: OX-8; Onyx `AuthTypeResponse`.
public struct OnyxAuthType: Codable, Sendable, Equatable {
    /// Whether one server holds several tenants.
    public var multiTenant: Bool?
    /// The sign-in method of an old server.
    public var authType: String?
    /// Whether a person must prove the e-mail address first.
    public var requiresVerification: Bool?
    /// Whether some of the server is open without signing in.
    public var anonymousUserEnabled: Bool?
    /// Shortest password, in characters.
    public var passwordMinLength: Int?
    /// Longest password, in characters.
    public var passwordMaxLength: Int?
    /// Whether a password needs an upper-case letter.
    public var passwordRequireUppercase: Bool?
    /// Whether a password needs a lower-case letter.
    public var passwordRequireLowercase: Bool?
    /// Whether a password needs a digit.
    public var passwordRequireDigit: Bool?
    /// Whether a password needs one of ``OnyxPasswordRule/specialCharacters``.
    public var passwordRequireSpecialCharacter: Bool?
    /// Whether anybody has an account yet.
    public var hasUsers: Bool?
    /// Whether the server signs in through Google.
    public var oauthEnabled: Bool?
    /// Whether e-mail and password sign in.
    public var passwordAuthEnabled: Bool?
    /// The identity providers that the server offers.
    public var ssoProviders: [SSOProvider]?

    /// One identity provider of the list.
    public struct SSOProvider: Codable, Sendable, Equatable {
        /// The provider's id.
        public var name: String
        /// The text for the button.
        public var displayName: String
        /// The kind, such as `oidc`.
        public var providerType: String
        /// Where the browser starts.
        public var authorizeURL: String

        enum CodingKeys: String, CodingKey {
            case name
            case displayName = "display_name"
            case providerType = "provider_type"
            case authorizeURL = "authorize_url"
        }

        /// Makes a provider.
        public init(name: String, displayName: String, providerType: String, authorizeURL: String) {
            self.name = name
            self.displayName = displayName
            self.providerType = providerType
            self.authorizeURL = authorizeURL
        }
    }

    enum CodingKeys: String, CodingKey {
        case multiTenant = "multi_tenant"
        case authType = "auth_type"
        case requiresVerification = "requires_verification"
        case anonymousUserEnabled = "anonymous_user_enabled"
        case passwordMinLength = "password_min_length"
        case passwordMaxLength = "password_max_length"
        case passwordRequireUppercase = "password_require_uppercase"
        case passwordRequireLowercase = "password_require_lowercase"
        case passwordRequireDigit = "password_require_digit"
        case passwordRequireSpecialCharacter = "password_require_special_char"
        case hasUsers = "has_users"
        case oauthEnabled = "oauth_enabled"
        case passwordAuthEnabled = "password_auth_enabled"
        case ssoProviders = "sso_providers"
    }

    /// Makes an answer that says nothing yet.
    public init() {}
}
