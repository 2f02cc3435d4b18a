import HTTPMessages

/// The sign-in options of an Onyx server, at `GET /auth/type`.
///
/// Older servers leave out ``multiTenant`` and send ``authType``. Either member identifies an Onyx server. Members that
/// a server leaves out are nil.
///
/// Source: OX-8; Onyx `AuthTypeResponse`.
package struct OnyxAuthType: Codable, Sendable, Equatable {
    /// Whether the server hosts several tenants.
    package var multiTenant: Bool?
    /// The sign-in method of an old server.
    package var authType: String?
    /// Whether people must verify their e-mail address first.
    package var requiresVerification: Bool?
    /// Whether a part of the server can be used without signing in.
    package var anonymousUserEnabled: Bool?
    /// The minimum length of a password, in characters.
    package var passwordMinLength: Int?
    /// The maximum length of a password, in characters.
    package var passwordMaxLength: Int?
    /// Whether a password needs an upper-case letter.
    package var passwordRequireUppercase: Bool?
    /// Whether a password needs a lower-case letter.
    package var passwordRequireLowercase: Bool?
    /// Whether a password needs a digit.
    package var passwordRequireDigit: Bool?
    /// Whether a password needs one of `PasswordCharacters.special`.
    package var passwordRequireSpecialCharacter: Bool?
    /// Whether at least one account exists.
    package var hasUsers: Bool?
    /// Whether people can sign in through Google.
    package var oauthEnabled: Bool?
    /// Whether people can sign in with e-mail and password.
    package var passwordAuthEnabled: Bool?
    /// The identity providers that the server offers.
    package var ssoProviders: [SSOProvider]?

    /// One identity provider of ``OnyxAuthType/ssoProviders``.
    package struct SSOProvider: Codable, Sendable, Equatable {
        /// The provider's id.
        package var name: String
        /// The text of the sign-in button.
        package var displayName: String
        /// The kind of provider, such as `oidc`.
        package var providerType: String
        /// The address that the browser opens to begin the sign-in.
        package var authorizeURL: String

        enum CodingKeys: String, CodingKey {
            case name
            case displayName = "display_name"
            case providerType = "provider_type"
            case authorizeURL = "authorize_url"
        }

        /// Creates a provider.
        package init(name: String, displayName: String, providerType: String, authorizeURL: String) {
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
    package init() {}
}
