public import HTTPServer
public import Redis

/// The settings of a gateway. Every setting except the database path has a default.
public struct GatewaySettings: Sendable, Equatable {
    /// The path of the database file. Nil for a database in memory, for tests.
    public var databasePath: String?
    /// The lifetime of sessions.
    public var sessions = SessionLifetime()
    /// The rules for new passwords.
    public var passwords = PasswordPolicy()
    /// The settings of password hashing.
    public var hashing = PasswordHasher.Settings()
    /// The limit on failed sign-ins from one address. Default: 50 in 15 minutes.
    public var addressLimit = AttemptLimit(attempts: 50, window: .seconds(900))
    /// The limit on failed sign-ins on one account. Default: 10 in 15 minutes.
    public var accountLimit = AttemptLimit(attempts: 10, window: .seconds(900))
    /// The limits on requests of one caller.
    public var requestRates = RequestRates()
    /// The reverse proxies that are trusted to name the client. Default: none.
    public var trustedProxies = TrustedProxies()
    /// The settings of the Onyx dialect.
    public var onyx = OnyxSettings()
    /// The settings of the Immich dialect.
    public var immich = ImmichSettings()
    /// The settings of the Time Tracker dialect.
    public var timeTracker = TimeTrackerSettings()
    /// The settings of the keys that sign tokens, for dialects with signed tokens.
    public var signingKeys = SigningKeySettings()
    /// The settings of the Relate Mail dialect.
    public var relateMail = RelateMailSettings()
    /// The settings of forward authentication, in which reverse proxies ask whether a request is allowed.
    public var verify = ForwardAuthSettings()
    /// The settings of the pages for people.
    public var pages = PageSettings()
    /// Whether people can sign in with e-mail and password. Default: true.
    public var passwordsEnabled = true
    /// The identity providers that people can sign in through, in the order of their buttons.
    public var providers: [ProviderConfiguration] = []
    /// The settings of sign-in through identity providers.
    public var bridge = BridgeSettings()
    /// The address of this server for browsers and other servers, without a slash at its end. Nil when it is not
    /// configured.
    public var publicURL: String?
    /// The kind of store for one-time codes. Default: memory.
    public var codes = CodeStoreKind.memory
    /// The settings of Redis. Nil when Redis is not used.
    public var redis: RedisSettings?
    /// The servers that may introspect tokens.
    public var introspectionClients: [IntrospectionClient] = []
    /// The settings of the metrics, such as the networks that may read them.
    public var metrics = MetricsSettings()
    /// The format of log lines. Default: text.
    public var logFormat = Log.Format.text
    /// The minimum level of messages that are logged. Default: info.
    public var logLevel = Log.Level.info
    /// The path of the audit log. Nil for none.
    public var auditPath: String?

    /// The paths of the certificate and its key. Nil without TLS.
    public var certificateFiles: CertificateFiles?

    /// The path prefix of sign-in through an identity provider.
    var bridgePrefix: String { onyx.prefix }

    /// Whether the gateway needs keys to seal data for browsers or to bind forms to them.
    var needsKeys: Bool { !providers.isEmpty || pages.isEnabled }

    /// Makes settings with defaults and the given database file.
    public init(databasePath: String?) {
        self.databasePath = databasePath
    }
}
