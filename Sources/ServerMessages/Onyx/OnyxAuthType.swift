/// The sign-in options of an Onyx server, at `GET /auth/type`.
///
/// Older servers leave out ``multiTenant`` and send ``authType``. Either member identifies an Onyx server. Members that
/// a server leaves out are nil.
///
/// Source: OX-8; Onyx `AuthTypeResponse`.
public struct OnyxAuthType: Codable, Sendable, Equatable {
    /// Whether the server hosts several tenants.
    public var multiTenant: Bool?
    /// The sign-in method of an old server.
    public var authType: String?
    /// Whether people must verify their e-mail address first.
    public var requiresVerification: Bool?
    /// Whether a part of the server can be used without signing in.
    public var anonymousUserEnabled: Bool?
    /// The minimum length of a password, in characters.
    public var passwordMinLength: Int?
    /// The maximum length of a password, in characters.
    public var passwordMaxLength: Int?
    /// Whether a password needs an upper-case letter.
    public var passwordRequireUppercase: Bool?
    /// Whether a password needs a lower-case letter.
    public var passwordRequireLowercase: Bool?
    /// Whether a password needs a digit.
    public var passwordRequireDigit: Bool?
    /// Whether a password needs one of ``OnyxPasswordRule/specialCharacters``.
    public var passwordRequireSpecialCharacter: Bool?
    /// Whether at least one account exists.
    public var hasUsers: Bool?
    /// Whether people can sign in through Google.
    public var oauthEnabled: Bool?
    /// Whether people can sign in with e-mail and password.
    public var passwordAuthEnabled: Bool?
    /// The identity providers that the server offers.
    public var ssoProviders: [SSOProvider]?

    /// One identity provider of ``OnyxAuthType/ssoProviders``.
    public struct SSOProvider: Codable, Sendable, Equatable {
        /// The provider's id.
        public var name: String
        /// The text of the sign-in button.
        public var displayName: String
        /// The kind of provider, such as `oidc`.
        public var providerType: String
        /// The address that the browser opens to begin the sign-in.
        public var authorizeURL: String

        enum CodingKeys: String, CodingKey {
            case name
            case displayName = "display_name"
            case providerType = "provider_type"
            case authorizeURL = "authorize_url"
        }

        /// Creates a provider.
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

    /// Creates a response in which every member is nil.
    public init() {}
}
