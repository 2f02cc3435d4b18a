import Crypto
import Database
public import Desktop
package import FoundationEssentials
import Primitives
import SecretStorage
import Synchronization

/// The client: the accounts, sessions and sign-ins of one device.
///
/// ```swift
/// let latch = try await LatchClient.open()
/// let server = try await latch.probe(ServerAddress(address)).requireServer()
/// let account = try await latch.signIn(PasswordSignIn(email: email, password: Secret(password)), to: server)
/// // The path is one of Immich; other servers have others.
/// let me = try await latch.session(for: account).client.get("/api/users/me", as: Me.self)
/// ```
///
/// Source: ARCHITECTURE.md, Layers.
public final class LatchClient: Sendable {
    /// The library's version.
    public static let version = Release.version

    /// The settings of a client.
    public struct Configuration: Sendable {
        /// The folders of the library's files. Nil derives them from the environment.
        public var folders: Folders?
        /// The store for tokens and other secrets. Nil chooses the same store as the command line `latch`: the Secret
        /// Service if there is one, otherwise a sealed file. See ``DeviceSecrets``.
        public var secrets: (any SecretStoring)?
        /// The device and program that the client's sessions belong to.
        public var device: Device
        /// How often the database is checked for changes by other programs while there are watchers: for some seconds
        /// after each change of its files, and always where the system does not report changes of files. It should be
        /// at most one second, so that changes appear within one second.
        public var pollInterval: Duration
        /// Returns the current time.
        package var now: @Sendable () -> Date = { Date() }
        /// Whether operations with servers are logged. Default: true.
        public var keepsLog = true
        /// Whether ``LatchClient/open(_:)`` finishes operations that a crash interrupted. It may send requests to
        /// servers then, and waits up to three seconds for them. Default: true.
        package var recoversOnOpen = true
        /// The timeout for revoking tokens on the server, at sign-out and after a failed sign-in. Default: 7 seconds.
        package var revocationTimeout = Session.revocationBound
        /// Returns the timeout of a whole request, file downloads excepted. Called for each request. Default: 30
        /// seconds.
        var requestTimeout: @Sendable () -> Duration = { .seconds(30) }
        /// The dialects that are supported, in the order in which a server is probed.
        package var dialects = Dialects.all
        /// The timeout for the requests to all servers together when the client is opened.
        var startBound = Duration.seconds(3)
        var hook = CrashPoint()
        /// The work that one try of the lock's PIN requires.
        var lockParameters = Argon2idParameters.forPINs
        var unlockedKeys: any UnlockedKeyStoring = SharedKeys()
        /// Returns the current time for the pauses between tries of the PIN.
        var bootTime: @Sendable () -> BootTime = BootTime.now
        /// The head start of the preferred address in a race between the addresses of a server.
        var headStart = EndpointSelector.headStart
        /// Watches the network, for the choice between the addresses of a server. Each stream begins with the current
        /// state. Default: the service of the system.
        public var network: @Sendable () -> AsyncStream<NetworkState> = {
            NetworkWatch(ProcessInfo.processInfo.environment).states
        }

        /// Makes a configuration.
        ///
        /// - Parameters:
        ///   - folders: The folders of the library's files. Nil derives them from the environment.
        ///   - secrets: The store for tokens and other secrets. Nil chooses the same store as the command line.
        ///   - device: The device and program that the client's sessions belong to.
        ///   - pollInterval: How often the database is checked for changes by other programs while there are watchers.
        public init(
            folders: Folders? = nil, secrets: (any SecretStoring)? = nil, device: Device = Device(),
            pollInterval: Duration = .milliseconds(500)
        ) {
            self.folders = folders
            self.secrets = secrets
            self.device = device
            self.pollInterval = pollInterval
        }
    }

    /// The accounts of this device.
    public let accounts: AccountStore
    /// The log of recent operations with servers, by all programs that share the accounts.
    package var log: ClientLog { accounts.log }
    let device: Device
    /// The folders of the library's files.
    package let folders: Folders
    private let sessions = Mutex<[Account.ID: Session]>([:])
    /// The timer of ``renewSessions()`` while it runs.
    let renewalTimer = Mutex<WallClockTimer?>(nil)
    /// When ``renewSessionsInForeground()`` renewed last. Nil before the first time.
    let foregroundRenewal = Mutex<Date?>(nil)

    private init(accounts: AccountStore, folders: Folders, device: Device) {
        self.accounts = accounts
        self.folders = folders
        self.device = device
    }

    deinit {
        // The connection of a sign-in would otherwise outlive a client that was not closed.
        for session in sessions.withLock({ $0 }).values { session.openedRealTime.withLock { $0 = nil } }
    }

    /// Opens the accounts database, creates it if it is missing, and finishes operations that a crash interrupted.
    ///
    /// Programs of one person that use the default configuration share accounts, sessions and secrets.
    ///
    /// - Throws: ``LatchError`` with a code of the storage.
    public static func open(_ configuration: Configuration = Configuration()) async throws -> LatchClient {
        let folders = try configuration.folders ?? Folders()
        try folders.make()
        let database = try await LatchError.converting {
            var configuration = Database.Configuration(
                path: folders.database, applicationID: AccountSchema.applicationID)
            // A small cache is enough: a download queue may be long, but it is processed in order, so little is read
            // twice.
            configuration.cacheSize = 512
            return try await Database.open(configuration, migrations: AccountSchema.migrations)
        }
        let accounts = AccountStore(
            database: database, path: folders.database, dialects: configuration.dialects,
            vault: LockVault(
                path: folders.lock, store: configuration.secrets ?? DeviceSecrets(folders: folders),
                parameters: configuration.lockParameters, keys: configuration.unlockedKeys, now: configuration.bootTime),
            locks: AccountLocks(folder: folders.locks),
            now: configuration.now, pollInterval: configuration.pollInterval,
            revocationTimeout: configuration.revocationTimeout, requestTimeout: configuration.requestTimeout,
            hook: configuration.hook,
            cache: ResponseCache(path: folders.responses),
            thumbnails: ResponseCache(path: folders.thumbnails, limit: Thumbnail.storedBytes),
            log: ClientLog(
                path: configuration.keepsLog ? folders.log : nil, program: configuration.device.program,
                now: configuration.now), network: configuration.network, headStart: configuration.headStart)
        // A locked secret store does not prevent the start. A later start finishes the work.
        try? await DeviceLock(accounts: accounts).recover()
        if configuration.recoversOnOpen {
            try? await accounts.recover(as: configuration.device, within: configuration.startBound)
        }
        PrivateBrowser.removeAbandonedProfiles(folders.browsers)
        return LatchClient(accounts: accounts, folders: folders, device: configuration.device)
    }

    /// Finds out what server is at an address. Nothing is stored.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - connection: How to connect.
    /// - Returns: Either the server or the reason why none was found.
    /// - Throws: Only `CancellationError`. Failures are in the report.
    public func probe(
        _ address: ServerAddress, connection: ConnectionOptions = .init()
    ) async throws(CancellationError) -> ProbeReport {
        try await probe(address, connection: connection) { _ in }
    }

    /// Finds out what server is at an address, and reports each step with its result.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - connection: How to connect.
    ///   - dialect: The only dialect to try. Nil for all.
    ///   - onStep: Called after each step.
    /// - Returns: Either the server or the reason why none was found.
    /// - Throws: Only `CancellationError`. Failures are in the report.
    package func probe(
        _ address: ServerAddress, connection: ConnectionOptions = .init(), only dialect: DialectID? = nil,
        onStep: @escaping @Sendable (ProbeStep) -> Void
    ) async throws(CancellationError) -> ProbeReport {
        let dialects = accounts.dialects.filter { dialect == nil || $0.id == dialect }
        let report = try await ServerProbe(connection: connection, dialects: dialects, device: device).run(
            address, onStep: onStep)
        if let failure = report.failure { log.record(.probe, at: address, outcome: failure.code.rawValue) }
        return report
    }

    /// Returns the session of an account. There is one session per account in a program, and every call returns it.
    ///
    /// - Throws: ``LatchError/Code/unsupportedServer`` when this version does not know the account's dialect.
    public func session(for account: Account) throws(LatchError) -> Session {
        guard let dialect = accounts.dialects.named(account.dialect, details: account.details) else {
            throw LatchError(
                .unsupportedServer,
                "\(account.serverURL) speaks '\(SanitizedText.clean(account.dialect.rawValue))', "
                    + "which this version does not support. Update the program.")
        }
        return sessions.withLock { sessions in
            if let session = sessions[account.id] { return session }
            let session = Session(account: account, dialect: dialect, accounts: accounts, device: device)
            sessions[account.id] = session
            return session
        }
    }

    /// Returns the session of the active account.
    ///
    /// - Throws: ``LatchError/Code/noAccount`` when no account is active.
    public func activeSession() async throws -> Session {
        guard let account = try await accounts.activeAccount() else {
            throw LatchError(.noAccount, "You are not signed in to any server. Sign in first.")
        }
        return try session(for: account)
    }

    /// Signs an account out and removes it from this device; see ``Session/signOut(onStep:)``.
    @discardableResult
    public func signOut(
        _ account: Account, onStep: @escaping @Sendable (SignOutProgress) -> Void = { _ in }
    ) async throws -> SignOutReport {
        let session = try session(for: account)
        let report = try await session.signOut(onStep: onStep)
        sessions.withLock { _ = $0.removeValue(forKey: account.id) }
        return report
    }

    /// Stops running work, ends the streams and closes the files. Sessions are kept for the next start.
    public func close() async {
        let open = sessions.withLock { sessions in
            defer { sessions = [:] }
            return sessions.values
        }
        for session in open { await session.close() }
        await accounts.close()
    }
}
