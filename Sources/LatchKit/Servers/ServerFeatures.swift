/// What a server tells of itself before anybody has signed in: which buttons to show.
///
/// Source: OX-8, IM-4.
public struct ServerFeatures: Sendable, Hashable {
    /// Whether e-mail and password sign in.
    public var signsInWithPassword: Bool
    /// Whether the system's browser signs in, through an identity provider.
    public var signsInWithBrowser: Bool
    /// Whether a key that the person pastes signs in.
    public var signsInWithKey = false
    /// What a new password must be.
    public var passwordRule: PasswordRule
    /// Whether a person must prove the e-mail address first.
    public var requiresVerification: Bool
    /// Whether anybody has an account yet.
    public var hasUsers: Bool
    /// Identity providers that the server signs in through: ids and texts for buttons.
    public var providers: [Provider]
    /// The text for the button of the browser's sign-in, where the server tells one.
    public var browserTitle: String?
    /// The server's version, where it tells one.
    public var version: String?
    /// Where people sign in, when that is another server: the gateway that protects this one.
    public var gateway: ServerAddress?
    /// What the person should know before signing in, each a sentence.
    public var warnings: [String] = []
    /// Why nobody can sign in at present, such as maintenance: one or two sentences; nil where people can.
    public var closedBecause: String?

    /// - Throws: ``LatchError/Code/serverError`` when nobody can sign in at present.
    func requireOpen() throws(LatchError) {
        if let closedBecause { throw LatchError(.serverError, closedBecause) }
    }

    /// One identity provider.
    public struct Provider: Sendable, Hashable {
        /// The provider's id on the server.
        public var id: String
        /// The text for the button.
        public var title: String

        /// Makes a provider.
        public init(id: String, title: String) {
            self.id = id
            self.title = title
        }
    }

    /// Makes features.
    public init(
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

    /// Reads Onyx's answer; an old server that names `auth_type` signs in with a password when that is `basic`, with the
    /// browser when it is `google_oauth`, and with both when it is `cloud`.
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

/// What a server wants of a new password. A password at sign-in is never checked against it.
///
/// Source: contract of Onyx, b.8; IM-17.
public struct PasswordRule: Sendable, Hashable {
    /// Fewest characters, where the server tells.
    public var minimumLength: Int?
    /// Most characters, where the server tells.
    public var maximumLength: Int?
    /// Whether an upper-case letter is needed.
    public var needsUppercase: Bool
    /// Whether a lower-case letter is needed.
    public var needsLowercase: Bool
    /// Whether a digit is needed.
    public var needsDigit: Bool
    /// Whether a special character is needed.
    public var needsSpecial: Bool

    /// Makes a rule; without arguments, one that asks for nothing.
    public init(
        minimumLength: Int? = nil, maximumLength: Int? = nil, needsUppercase: Bool = false,
        needsLowercase: Bool = false, needsDigit: Bool = false, needsSpecial: Bool = false
    ) {
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.needsUppercase = needsUppercase
        self.needsLowercase = needsLowercase
        self.needsDigit = needsDigit
        self.needsSpecial = needsSpecial
    }
}

/// A server that answered as one that this library knows.
public struct Server: Sendable {
    /// Where it is.
    public let address: ServerAddress
    /// How it speaks.
    public let dialect: any Dialect
    /// What it told of itself.
    public let features: ServerFeatures
    /// How it is connected to.
    public let connection: ConnectionOptions

    /// Makes a server; ``ServerProbe`` does, after it answered.
    public init(
        address: ServerAddress, dialect: any Dialect, features: ServerFeatures, connection: ConnectionOptions = .init()
    ) {
        self.address = address
        self.dialect = dialect
        self.features = features
        self.connection = connection
    }

    /// The fields that carry a token to the server.
    func authorization(_ token: Secret) -> HTTPHeaders {
        dialect.authorization(token, besides: connection.extraHeaders)
    }
}
