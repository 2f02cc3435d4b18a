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
}
