package import GatewayCore
package import HTTPServer
package import Redis
package import SignInBridge

/// The settings of a gateway. Every setting except the database path has a default.
package struct GatewaySettings: Sendable {
    /// Where the gateway stores its data.
    package var database: DatabaseLocation
    /// The lifetime of sessions.
    package var sessions = SessionLifetime()
    /// The rules for new passwords.
    package var passwords = PasswordPolicy()
    /// The settings of password hashing.
    package var hashing = PasswordHasher.Settings()
    /// The limit on failed sign-ins from one address. Default: 50 in 15 minutes.
    package var addressLimit = AttemptLimit(attempts: 50, window: .seconds(900))
    /// The limit on failed sign-ins on one account. Default: 10 in 15 minutes.
    package var accountLimit = AttemptLimit(attempts: 10, window: .seconds(900))
    /// The limits on requests of one caller.
    package var requestRates = RequestRates()
    /// The reverse proxies that are trusted to name the client. Default: none.
    package var trustedProxies = TrustedProxies()
    /// The settings of the dialects, in the order in which they are listed. When two dialects could respond to an
    /// unknown path, the first one does.
    package internal(set) var dialects: [any DialectSettings]
    /// The settings of the keys that sign tokens, for dialects with signed tokens.
    package var signingKeys = SigningKeySettings()
    /// The settings of forward authentication, in which reverse proxies ask whether a request is allowed.
    package var verify = ForwardAuthSettings()
    /// The settings of the pages for people.
    package var pages = PageSettings()
    /// The settings of the authorization server.
    package var authorizationServer = AuthorizationServerSettings()
    /// Whether people can sign in with e-mail and password. Default: true.
    package var passwordsEnabled = true
    /// The identity providers that people can sign in through, in the order of their buttons.
    package var providers: [ProviderConfiguration] = []
    /// The identity providers that are configured with `enabled: false`. Nobody signs in through them, but whether they
    /// link by address counts for the identities that are stored.
    package var disabledProviders: [ProviderConfiguration] = []
    /// The settings of sign-in through identity providers.
    package var bridge = BridgeSettings()
    /// The address of this server for browsers and other servers, without a slash at its end. Nil when it is not
    /// configured.
    package var publicURL: String?
    /// The kind of store for one-time codes. Default: nil, ``defaultCodes``.
    package var codes: CodeStoreKind?
    /// The settings of Redis. Nil when Redis is not used.
    package var redis: RedisSettings?
    /// The servers that may introspect tokens.
    package var introspectionClients: [IntrospectionClient] = []
    /// The settings of the metrics, such as the networks that may read them.
    package var metrics = MetricsSettings()
    /// The format of log lines. Default: text.
    package var logFormat = Log.Format.text
    /// The minimum level of messages that are logged. Default: info.
    package var logLevel = Log.Level.info
    /// The path of the audit log. Nil for none.
    package var auditPath: String?

    /// The paths of the certificate and its key. Nil without TLS.
    package var certificateFiles: CertificateFiles?

    /// The kind of store for one-time codes when ``codes`` is nil: the gateway's memory, because an SQLite file is
    /// usually used by one gateway, and each code in the database costs two durable writes.
    package var defaultCodes: CodeStoreKind { if case .server = database { .database } else { .memory } }

    /// The kind of store for one-time codes that is used.
    package var codeStore: CodeStoreKind { codes ?? defaultCodes }

    /// Whether the gateway needs the keys of `bridge.key`: to seal data for browsers, to bind forms to them, to count
    /// attempts to sign in together with the other gateways of a server, or to recognize refresh tokens.
    package var needsKeys: Bool {
        if case .server = database { return true }
        return !providers.isEmpty || pages.isEnabled || sessions.tokens == .rotating
    }

    /// Makes settings with defaults.
    ///
    /// - Parameters:
    ///   - databasePath: The path of the database file. Nil for a database in memory, for tests.
    ///   - dialects: The default settings of all dialects that can be served.
    package init(databasePath: String?, dialects: [any DialectSettings]) {
        database = databasePath.map(DatabaseLocation.file) ?? .memory
        self.dialects = dialects
    }
}
