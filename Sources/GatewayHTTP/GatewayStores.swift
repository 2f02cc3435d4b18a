package import Database
package import FoundationEssentials
package import GatewayConfiguration
package import GatewayCore
import SignInBridge

/// The people and sessions of the gateway without a server, for administrative commands.
///
/// The stores may be open while a gateway runs on the same database. ``Gateway`` documents when it detects their
/// changes.
package struct GatewayStores: Sendable {
    /// The settings that the stores were opened with.
    package let settings: GatewaySettings
    /// The database of all stores.
    package let database: Database
    /// The store of people.
    package let people: PeopleStore
    /// The administration of sessions.
    package let sessions: SessionAdministration
    /// The store of people's PINs.
    package let pins: PINStore
    /// The store of API keys.
    package let apiKeys: APIKeyStore
    /// The store of the clients of the authorization server.
    package let clients: ClientStore
    /// The banned addresses.
    package let bans: BanStore
    /// The log.
    package let log: Log
    /// The audit log of sign-ins and changes.
    package let audit: AuditLog
    /// The store of keys that sign tokens.
    package let signingKeys: SigningKeyStore
    package let hasher: PasswordHasher
    package let elevations: ElevationStore
    /// Whether values in memory may be used without asking the database.
    package let lease = CacheLease()
    package let now: @Sendable () -> Date

    /// Opens the database. Creates the file and its tables if they do not exist.
    ///
    /// - Parameters:
    ///   - settings: The settings of the gateway.
    ///   - logWriter: The output of the log. Default: standard error.
    ///   - now: The clock that determines expiry.
    /// - Returns: The stores. Close them with ``close()``.
    /// - Throws: `DatabaseError` when the database cannot be opened; ``GatewayError/Code/file`` when the file of the
    ///   audit log cannot.
    package static func open(
        _ settings: GatewaySettings, logWriter: LogWriter = .standardError(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> GatewayStores {
        let log = Log(level: settings.logLevel, format: settings.logFormat, writer: logWriter, now: now)
        let auditFile = try settings.auditPath.map { path throws(GatewayError) in try LogWriter.appending(to: path) }
        let database = try await settings.database.open()
        let stores = GatewayStores(
            settings: settings, database: database, log: log, audit: AuditLog(log: log, file: auditFile, now: now),
            hasher: PasswordHasher(settings.hashing), now: now)
        do {
            try await stores.bans.load()
            return stores
        } catch {
            await stores.close()
            throw error
        }
    }

    private init(
        settings: GatewaySettings, database: Database, log: Log, audit: AuditLog, hasher: PasswordHasher,
        now: @escaping @Sendable () -> Date
    ) {
        self.settings = settings
        self.database = database
        self.log = log
        self.audit = audit
        self.hasher = hasher
        self.now = now
        people = PeopleStore(
            database: database, hasher: hasher, policy: settings.passwords,
            signIn: ConfiguredSignIn(acceptsPasswords: settings.passwordsEnabled, providers: settings.providers),
            audit: audit, now: now)
        elevations = ElevationStore(database: database, now: now)
        pins = PINStore(database: database, hasher: hasher, audit: audit, elevations: elevations, now: now) {
            () throws(GatewayError) in
            try BridgeKeys.open(file: settings.bridge.keyFile, database: settings.database.path).pin
        }
        sessions = SessionAdministration(database: database, audit: audit, now: now)
        signingKeys = SigningKeyStore(database, settings.signingKeys, audit: audit, log: log, now: now) {
            () throws(GatewayError) in
            try BridgeKeys.open(file: settings.bridge.keyFile, database: settings.database.path).signing
        }
        apiKeys = APIKeyStore(database: database, audit: audit, lease: lease, now: now)
        bans = BanStore(database: database, proxies: settings.trustedProxies, audit: audit, now: now)
        clients = ClientStore(database: database, configured: settings.authorizationServer.allClients, now: now)
    }

    /// Stops the hashing threads, flushes the logs and closes the database.
    package func close() async {
        hasher.stop()
        await database.close()
        audit.flush()
        log.flush()
    }
}
