import Crypto
import HTTPMessages
import ServerMessages

/// The features that a server announces before sign-in. They determine which sign-in buttons a program shows.
///
/// Source: OX-8, IM-4.
public struct ServerFeatures: Sendable, Hashable {
    /// Whether people can sign in with e-mail address and password.
    public var signsInWithPassword: Bool
    /// Whether people can sign in with the system's browser, through an identity provider.
    public var signsInWithBrowser: Bool
    /// Whether people can sign in with an API key that they paste. Default: false.
    public var signsInWithKey = false
    /// The requirements for a new password.
    public var passwordRule: PasswordRule
    /// Whether a person must verify the e-mail address before signing in.
    public var requiresVerification: Bool
    /// Whether the server has any accounts yet.
    public var hasUsers: Bool
    /// The identity providers of the server, with their ids and button texts.
    public var providers: [Provider]
    /// The text for the button of the sign-in with the browser. Nil when the server does not say.
    public var browserTitle: String?
    /// The version of the server. Nil when the server does not say.
    public var version: String?
    /// The gateway that protects this server and signs people in. Nil when the server itself does.
    public var gateway: ServerAddress?
    /// Warnings for the person before sign-in, each a sentence.
    public var warnings: [String] = []
    /// Why sign-in is impossible at present, such as maintenance, in one or two sentences. Nil when it is possible.
    public var unavailableReason: String?

    /// Checks that sign-in is possible at present.
    ///
    /// - Throws: ``LatchError/Code/serverError`` when ``unavailableReason`` is set.
    func requireOpen() throws(LatchError) {
        if let unavailableReason { throw LatchError(.serverError, unavailableReason) }
    }

    /// An identity provider of the server.
    public struct Provider: Identifiable, Sendable, Hashable {
        /// The provider's id on the server.
        public var id: String
        /// The text for the button.
        public var title: String

        /// Makes a provider.
        package init(id: String, title: String) {
            self.id = id
            self.title = title
        }
    }

    /// Makes features.
    package init(
        signsInWithPassword: Bool = true, signsInWithBrowser: Bool = false,
        passwordRule: PasswordRule = PasswordRule(),
        requiresVerification: Bool = false, hasUsers: Bool = true, providers: [Provider] = []
    ) {
        self.signsInWithPassword = signsInWithPassword
        self.signsInWithBrowser = signsInWithBrowser
        self.passwordRule = passwordRule
        self.requiresVerification = requiresVerification
        self.hasUsers = hasUsers
        self.providers = providers
    }

    /// Makes features from the response of an Onyx server. An old server announces only `auth_type`: `basic` means
    /// sign-in with a password, `google_oauth` with the browser, and `cloud` with both.
    init(_ type: OnyxAuthType) {
        let old = type.authType.map { ["basic", "cloud", "disabled"].contains($0.lowercased()) }
        self.init(
            signsInWithPassword: type.passwordAuthEnabled ?? old ?? true,
            signsInWithBrowser: type.oauthEnabled ?? ["google_oauth", "cloud"].contains(type.authType?.lowercased())
                || type.ssoProviders?.isEmpty == false,
            passwordRule: PasswordRule(
                minimumLength: type.passwordMinLength, maximumLength: type.passwordMaxLength,
                needsUppercase: type.passwordRequireUppercase ?? false,
                needsLowercase: type.passwordRequireLowercase ?? false, needsDigit: type.passwordRequireDigit ?? false,
                needsSpecial: type.passwordRequireSpecialCharacter ?? false),
            requiresVerification: type.requiresVerification ?? false, hasUsers: type.hasUsers ?? true,
            providers: (type.ssoProviders ?? []).map {
                Provider(id: $0.name, title: SanitizedText.clean($0.displayName))
            })
    }
}
