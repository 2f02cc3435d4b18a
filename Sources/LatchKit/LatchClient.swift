import Database
import Desktop
public import FoundationEssentials
import Synchronization

/// The client: accounts, sessions and sign-in on one device.
///
/// ```swift
/// let latch = try await Latchstring.open(.init(secrets: store))
/// let server = try await latch.probe(ServerAddress("photos.example.org")).requireServer()
/// let account = try await latch.signIn(PasswordSignIn(email: email, password: password), to: server)
/// let answer = try await latch.session(for: account).client.send(.get, "/api/me")
/// ```
///
/// Source: ARCHITECTURE.md, client.
public final class LatchClient: Sendable {
    /// The library's version.
    public static let version = "0.1.0"

    /// What a program decides.
    public struct Configuration: Sendable {
        /// Where files are kept; nil asks the environment.
        public var folders: Folders?
        /// Where tokens are kept.
        public var secrets: any SecretStoring
        /// The machine and program that sessions belong to.
        public var device: Device
        /// How often other programs' changes are looked for while somebody watches; at most a second, so that they show
        /// within it.
        public var pollInterval: Duration
        /// The wall clock.
        public var now: @Sendable () -> Date
        /// Whether what is done with servers is noted in the log.
        public var keepsLog = true
        /// Whether opening finishes what a crash interrupted. This may ask servers, and waits up to three seconds for them.
        public var finishesUnfinished = true
        /// The longest that signing out, and giving back what a failed sign-in brought, wait for the server.
        public var revocationTimeout = Session.revocationBound
        /// The longest that any request waits for its whole answer, files aside; looked up for each.
        var requestTimeout: @Sendable () -> Duration = { .seconds(30) }
        /// The longest that opening waits for all servers together.
        var startBound = Duration.seconds(3)
        var hook = CrashPoint()

        /// Makes a configuration.
        ///
        /// - Parameters:
        ///   - folders: Where files are kept; nil asks the environment.
        ///   - secrets: Where tokens are kept.
        ///   - device: The machine and program that sessions belong to.
        ///   - pollInterval: How often other programs' changes are looked for while somebody watches.
        ///   - now: The wall clock.
        public init(
            folders: Folders? = nil, secrets: any SecretStoring, device: Device = Device(),
            pollInterval: Duration = .milliseconds(500), now: @escaping @Sendable () -> Date = { Date() }
        ) {
            self.folders = folders
            self.secrets = secrets
            self.device = device
            self.pollInterval = pollInterval
            self.now = now
        }
    }

    /// The accounts of this device.
    public let accounts: AccountStore
    /// What was done with servers lately, by every program that shares the accounts.
    public var log: ClientLog { accounts.log }
    let device: Device
    private let folders: Folders
    private let sessions = Mutex<[Account.ID: Session]>([:])

    private init(accounts: AccountStore, folders: Folders, device: Device) {
        self.accounts = accounts
        self.folders = folders
        self.device = device
    }

    /// Opens the accounts database, makes it when it is missing, and finishes what a crash left half done.
    ///
    /// - Throws: ``LatchError`` with a code of the storage.
    public static func open(_ configuration: Configuration) async throws -> LatchClient {
        let folders = try configuration.folders ?? Folders()
        try folders.make()
        let database = try await LatchError.telling {
            var configuration = Database.Configuration(
                path: folders.database, applicationID: AccountSchema.applicationID)
            // A queue of downloads may be long, and is worked off in its order: little of it is read twice.
            configuration.cacheSize = 512
            return try await Database.open(configuration, migrations: AccountSchema.migrations)
        }
        let accounts = AccountStore(
            database: database,
            downloadOwner: try await LatchError.telling { try await AccountStore.downloadOwner(database) },
            secrets: configuration.secrets, locks: AccountLocks(folder: folders.locks),
            now: configuration.now, pollInterval: configuration.pollInterval,
            revocationTimeout: configuration.revocationTimeout, requestTimeout: configuration.requestTimeout,
            hook: configuration.hook,
            cache: ResponseCache(path: folders.responses),
            log: ClientLog(
                path: configuration.keepsLog ? folders.log : nil, program: configuration.device.program,
                now: configuration.now))
        // A secret store that is locked now is no reason not to start: a later start finishes it.
        if configuration.finishesUnfinished {
            try? await accounts.finishUnfinished(as: configuration.device, within: configuration.startBound)
        }
        PrivateBrowser.sweep(folders.browsers)
        return LatchClient(accounts: accounts, folders: folders, device: configuration.device)
    }

    /// Asks an address what it is; nothing is kept.
    ///
    /// - Parameters:
    ///   - address: Where.
    ///   - connection: How to connect.
    ///   - onStep: Told of each step as it is known.
    /// - Returns: The steps, and the server or why there is none.
    /// - Throws: `CancellationError` only; what failed stands in the report.
    public func probe(
        _ address: ServerAddress, connection: ConnectionOptions = .init(),
        onStep: @escaping @Sendable (ProbeStep) -> Void = { _ in }
    ) async throws(CancellationError) -> ProbeReport {
        let report = try await ServerProbe(connection: connection, device: device).run(address, onStep: onStep)
        if let failure = report.failure { log.note(.probe, address, failure.code.rawValue) }
        return report
    }

    /// Signs in, keeps the account and makes it active.
    ///
    /// An account of that person on that server is used again; its old session, if it had one, is ended on the server.
    /// Cancelled or failed, everything is as before, and the token just granted is given back to the server. Once the
    /// account is kept nothing fails any more: the steps of ``SignInProgress`` follow, and are told.
    ///
    /// - Parameters:
    ///   - signIn: Who, and with which password.
    ///   - server: What ``probe(_:connection:onStep:)`` found.
    ///   - onStep: Told of each step of arriving.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError``: ``LatchError/Code/wrongCredentials``, ``LatchError/Code/passwordLoginDisabled``,
    ///   ``LatchError/Code/rateLimited`` and the codes of network, secret store and storage; `CancellationError`.
    public func signIn(
        _ signIn: PasswordSignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.passwordSignIn, server.address) {
            try await keep(server, email: signIn.email, onStep) { client in
                try await signIn.perform(at: server, unauthenticatedConnection(to: server, client))
            }
        }
    }

    /// Signs in with the browser, keeps the account and makes it active.
    ///
    /// It waits for the person, at most ``BrowserSignIn/timeout``. What holds for
    /// ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)`` holds here too.
    ///
    /// - Parameters:
    ///   - signIn: How the browser is opened and comes back.
    ///   - server: What ``probe(_:connection:onStep:)`` found.
    ///   - onStep: Told of each step of arriving.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError``: ``LatchError/Code/signInDenied``, ``LatchError/Code/signInTimedOut``,
    ///   ``LatchError/Code/browserClosed``, ``LatchError/Code/callbackUnavailable``,
    ///   ``LatchError/Code/callbackInvalid``, ``LatchError/Code/codeRefused``, ``LatchError/Code/identityUnknown``,
    ///   ``LatchError/Code/browserLoginDisabled``, ``LatchError/Code/browserMissing``,
    ///   ``LatchError/Code/unknownProvider`` and the codes of network, secret store and storage; `CancellationError`.
    public func signIn(
        _ signIn: BrowserSignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.browserSignIn, server.address) {
            do {
                return try await keep(server, email: nil, onStep) { client in
                    try await signIn.perform(
                        at: server, unauthenticatedConnection(to: server, client), folders: folders
                    ) {
                        try await self.accounts.noteKey(
                            KeyName(self.device), of: try Self.email(of: $0, server), at: server)
                    }
                }
            } catch let error as LatchError {
                throw error.inBrowser
            }
        }
    }

    /// Signs in with a key that the person has, keeps the account and makes it active.
    ///
    /// The key is tried before it is kept; where it does not work, nothing is. What holds for
    /// ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)`` holds here too, but a key that the person made is not revoked when it is not kept.
    ///
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError``: ``LatchError/Code/wrongCredentials``, ``LatchError/Code/noKeys`` and the codes of network,
    ///   secret store and storage; `CancellationError`.
    ///
    /// Source: RM-7; contract of Relate Mail, section c: c174e92.
    public func signIn(
        _ signIn: KeySignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.keySignIn, server.address) {
            try await keep(server, email: nil, givesBack: false, onStep) { client in
                try await signIn.perform(at: server, unauthenticatedConnection(to: server, client))
            }
        }
    }

    /// A server as it is asked before there is a session.
    func unauthenticatedConnection(to server: Server, _ client: HTTPClient) -> UnauthenticatedConnection {
        UnauthenticatedConnection(server.address, client, device, timeout: self.accounts.requestTimeout())
    }

    /// Gets a token and keeps it.
    private func keep(
        _ server: Server, email: EmailAddress?, givesBack: Bool = true,
        _ onStep: @escaping @Sendable (SignInProgress) -> Void, _ grant: (HTTPClient) async throws -> Grant
    ) async throws -> Account {
        let client = try server.connection.client(userAgent: device.userAgent, home: server.address)
        do {
            let account = try await keep(
                try await grant(client), of: email, server, client, givesBack: givesBack, onStep)
            await client.close()
            await finishSignIn(account, onStep)
            return account
        } catch {
            await client.close()
            throw error
        }
    }

    /// The session of an account; one in this program, however often it is asked for.
    ///
    /// - Throws: ``LatchError/Code/notAKnownServer`` when this version does not know the account's dialect.
    public func session(for account: Account) throws(LatchError) -> Session {
        guard let dialect = Dialects.named(account.dialect, details: account.details) else {
            throw LatchError(
                .notAKnownServer,
                "\(account.serverURL) speaks '\(SanitizedText.clean(account.dialect.rawValue))', "
                    + "which this version does not know. Update the program.")
        }
        return sessions.withLock { sessions in
            if let session = sessions[account.id] { return session }
            let session = Session(account: account, dialect: dialect, accounts: accounts, device: device)
            sessions[account.id] = session
            return session
        }
    }

    /// The session of the active account.
    ///
    /// - Throws: ``LatchError/Code/noAccount`` when there is none.
    public func activeSession() async throws -> Session {
        guard let account = try await accounts.activeAccount() else {
            throw LatchError(.noAccount, "Nobody is signed in here. Sign in to a server first.")
        }
        return try session(for: account)
    }

    /// Signs an account out and removes it from this device; see ``Session/signOut(onStep:)``.
    @discardableResult
    public func signOut(
        _ account: Account, onStep: @escaping @Sendable (SignOutProgress) -> Void = { _ in }
    ) async throws -> SignOutReport {
        let session = try session(for: account)
        defer { sessions.withLock { _ = $0.removeValue(forKey: account.id) } }
        return try await session.signOut(onStep: onStep)
    }

    /// Stops what runs and closes the files; sessions stay for the next start.
    public func close() async {
        let open = sessions.withLock { sessions in
            defer { sessions = [:] }
            return sessions.values
        }
        for session in open { await session.close() }
        await accounts.close()
    }

    private func keep(
        _ grant: Grant, of email: EmailAddress?, _ server: Server, _ client: HTTPClient, givesBack: Bool,
        _ onStep: @escaping @Sendable (SignInProgress) -> Void
    ) async throws -> Account {
        let tokens = SessionTokens(grant)
        do {
            let identity = try await PasswordSignIn.identity(
                behind: grant, at: server, with: client, timeout: accounts.requestTimeout())
            let who = try email ?? Self.email(of: identity, server)
            let expires = grant.expires(from: accounts.now()) ?? identity?.tokenExpires
            let kept = SignedIn(
                server: server, email: who.text, tokens: tokens, expires: expires,
                refreshAfter: server.dialect.refreshDate(now: accounts.now(), expires: expires),
                displayName: identity?.name, scopes: grant.scopes ?? identity?.scopes ?? [], keyID: grant.keyID,
                keyName: grant.made?.note.name, mustChangePassword: grant.mustChangePassword, isPersonsOwn: !givesBack)
            try Task.checkCancellation()
            let (account, old) = try await accounts.keep(kept, onStep)
            grant.made?.note.release()
            if let dialect = server.dialect as? any KeyDialect {
                await revokeOrphanedKeys(of: account, dialect, tokens.access, server, client)
            } else if let old, old.isAnother(than: tokens) {
                await revoke(old.tokens.lasting, old.keyID, server, client)
            }
            return account
        } catch {
            if let made = grant.made {
                await made.discard()
            } else if givesBack {
                await revoke(tokens.lasting, grant.keyID, server, client)
            }
            throw error
        }
    }

    /// With a password the person has said who they are; with a browser only the server knows.
    private static func email(of identity: Identity?, _ server: Server) throws(LatchError) -> EmailAddress {
        if let identity, let email = try? EmailAddress(typed: identity.email) { return email }
        throw LatchError(
            .identityUnknown,
            "Login failed: \(server.address) did not say who has signed in, so there is no account to keep. Try again.")
    }

    /// Revokes the keys that the new one replaces, and what earlier sign-ins left over, also when the caller is cancelled.
    private func revokeOrphanedKeys(
        of account: Account, _ dialect: any KeyDialect, _ key: Secret, _ server: Server, _ client: HTTPClient
    ) async {
        let accounts = accounts
        await Task {
            guard let lock = try? await accounts.locks.lock(account.id) else { return }
            defer { lock.release() }
            _ = try? await accounts.revokeOrphanedKeys(of: account.id, dialect, at: server.address) { request in
                var request = request
                for field in server.authorization(key) { request.headers[field.name] = field.value }
                return try await PasswordSignIn.send(
                    request, to: server, with: client, timeout: accounts.revocationTimeout)
            }
        }.value
    }

    /// Ends a session on its server as far as that answers within its bound, also when the caller is cancelled.
    private func revoke(_ token: Secret, _ keyID: String?, _ server: Server, _ client: HTTPClient) async {
        guard var request = server.dialect.signOut(keyID: keyID) else { return }
        for field in server.authorization(token) { request.headers[field.name] = field.value }
        let (goodbye, accounts) = (request, accounts)
        await Task {
            _ = try? await PasswordSignIn.send(goodbye, to: server, with: client, timeout: accounts.revocationTimeout)
        }.value
    }
}
