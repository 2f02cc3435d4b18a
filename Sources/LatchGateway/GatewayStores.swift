public import Database
public import FoundationEssentials

/// The gateway's people and sessions without a server: what an administrator's command works on.
///
/// It may be open beside a running gateway; see ``Gateway`` for when that one notices.
public struct GatewayStores: Sendable {
    /// What it was opened with.
    public let settings: GatewaySettings
    /// The database that all of it is kept in.
    public let database: Database
    /// The people.
    public let people: PeopleStore
    /// The sessions.
    public let sessions: SessionAdministration
    /// People's PINs.
    public let pins: PINStore
    /// The keys of people's programs.
    public let apiKeys: APIKeyStore
    /// The log.
    public let log: Log
    /// The record of who signed in and what was changed.
    public let audit: AuditLog
    /// The keys that tokens are signed with.
    public let signingKeys: SigningKeyStore
    let hasher: PasswordHasher
    let elevations: ElevationStore
    let now: @Sendable () -> Date

    /// Opens the database, making it and its tables when they are not there.
    ///
    /// - Parameters:
    ///   - settings: What to run by.
    ///   - logWriter: Where log lines go; standard error by default.
    ///   - now: The clock that expiry is reckoned by.
    /// - Returns: The stores, to be closed with ``close()``.
    /// - Throws: `DatabaseError` when the database cannot be opened; ``GatewayError/Code/file`` when the audit file
    ///   cannot.
    public static func open(
        _ settings: GatewaySettings, logWriter: LogWriter = .standardError(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> GatewayStores {
        let log = Log(level: settings.logLevel, format: settings.logFormat, writer: logWriter, now: now)
        let auditFile = try settings.auditPath.map { path throws(GatewayError) in try LogWriter.appending(to: path) }
        let configuration =
            settings.databasePath.map { Database.Configuration(path: $0, applicationID: Schema.applicationID) }
            ?? .inMemory(applicationID: Schema.applicationID)
        let database = try await Database.open(configuration, migrations: Schema.migrations)
        return GatewayStores(
            settings, database, log, AuditLog(log: log, file: auditFile, now: now), PasswordHasher(settings.hashing),
            now)
    }

    private init(
        _ settings: GatewaySettings, _ database: Database, _ log: Log, _ audit: AuditLog, _ hasher: PasswordHasher,
        _ now: @escaping @Sendable () -> Date
    ) {
        self.settings = settings
        self.database = database
        self.log = log
        self.audit = audit
        self.hasher = hasher
        self.now = now
        people = PeopleStore(database: database, hasher: hasher, policy: settings.passwords, audit: audit, now: now)
        elevations = ElevationStore(database: database, now: now)
        pins = PINStore(database: database, hasher: hasher, audit: audit, elevations: elevations, now: now)
        sessions = SessionAdministration(database: database, audit: audit, now: now)
        signingKeys = SigningKeyStore(database, settings.signingKeys, audit: audit, log: log, now: now) {
            () throws(GatewayError) in try BridgeKeys.open(settings).signing
        }
        apiKeys = APIKeyStore(database: database, audit: audit, now: now)
    }

    /// Ends the hashing threads, writes out the logs and closes the database.
    public func close() async {
        hasher.stop()
        await database.close()
        audit.flush()
        log.flush()
    }
}
