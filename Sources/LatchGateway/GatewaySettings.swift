public import HTTPServer
public import Redis

/// Everything that a gateway runs by; what is not said is the default.
public struct GatewaySettings: Sendable, Equatable {
    /// Where the database file is; nil keeps it in memory, for tests.
    public var databasePath: String?
    /// How long sessions live.
    public var sessions = SessionLifetime()
    /// What a new password must be.
    public var passwords = PasswordPolicy()
    /// How passwords are hashed.
    public var hashing = PasswordHasher.Settings()
    /// Failures from one address.
    public var addressLimit = AttemptLimit(attempts: 50, window: .seconds(900))
    /// Failures on one account.
    public var accountLimit = AttemptLimit(attempts: 10, window: .seconds(900))
    /// How many requests one caller may make.
    public var requestRates = RequestRates()
    /// The reverse proxies that may say who the client is.
    public var trustedProxies = TrustedProxies()
    /// The Onyx dialect.
    public var onyx = OnyxSettings()
    /// The Immich dialect.
    public var immich = ImmichSettings()
    /// The Time Tracker dialect.
    public var timeTracker = TimeTrackerSettings()
    /// The keys that tokens are signed with, where a dialect has such.
    public var signingKeys = SigningKeySettings()
    /// The Relate Mail dialect.
    public var relateMail = RelateMailSettings()
    /// What reverse proxies are told.
    public var verify = ForwardAuthSettings()
    /// The pages for people.
    public var pages = PageSettings()
    /// Whether e-mail and password sign in.
    public var passwordsEnabled = true
    /// The identity providers that people may sign in through, in the order of their buttons.
    public var providers: [ProviderConfiguration] = []
    /// How sign-in through them works.
    public var bridge = BridgeSettings()
    /// The address that this server is known by, without a slash at its end; nil where that need not be known.
    public var publicURL: String?
    /// Where one-time codes wait to be exchanged.
    public var codes = CodeStoreKind.memory
    /// The Redis to use; nil for none.
    public var redis: RedisSettings?
    /// The servers that may ask what a token is worth.
    public var introspectionClients: [IntrospectionClient] = []
    /// Who may read the metrics.
    public var metrics = MetricsSettings()
    /// How the log is written.
    public var logFormat = Log.Format.text
    /// What is written to the log.
    public var logLevel = Log.Level.info
    /// The file of the audit log; nil for none.
    public var auditPath: String?

    /// Where the certificate and its key are; nil without TLS.
    public var certificateFiles: CertificateFiles?

    /// What stands before the paths of sign-in through an identity provider.
    var bridgePrefix: String { onyx.prefix }

    /// Whether anything is sealed for browsers or tied to them, so that the gateway must have keys.
    var needsKeys: Bool { !providers.isEmpty || pages.isEnabled }

    /// Makes settings of defaults with the database in a file.
    public init(databasePath: String?) {
        self.databasePath = databasePath
    }
}
