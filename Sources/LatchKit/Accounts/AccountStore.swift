package import Database
import Desktop
public import FoundationEssentials
import Primitives
import SecretStorage

/// The accounts of this device, in an SQLite file that several programs may use at the same time.
///
/// At most one account is active. The database enforces this. Secrets are never in the file, and removing an account
/// removes its secrets first. After a crash every account is either complete or absent.
///
/// Source: RM-1, RM-2, RM-3.
public final class AccountStore: Sendable {
    package let database: Database
    /// The dialects that are supported.
    let dialects: [any Dialect]
    let secrets: AccountSecrets
    let vault: LockVault
    let locks: AccountLocks
    let now: @Sendable () -> Date
    let revocationTimeout: Duration
    let requestTimeout: @Sendable () -> Duration
    let hook: CrashPoint
    let watch: AccountWatch
    let pollInterval: Duration
    let cache: ResponseCache
    let thumbnails: ResponseCache
    let log: ClientLog
    /// Watches the network. Each stream begins with the current state.
    package let network: @Sendable () -> AsyncStream<NetworkState>
    /// The head start of each address in a race between the addresses of a server.
    let headStart: Duration

    init(
        database: Database, path: String, dialects: [any Dialect], vault: LockVault, locks: AccountLocks,
        now: @escaping @Sendable () -> Date,
        pollInterval: Duration, revocationTimeout: Duration, requestTimeout: @escaping @Sendable () -> Duration,
        hook: CrashPoint,
        cache: ResponseCache, thumbnails: ResponseCache, log: ClientLog,
        network: @escaping @Sendable () -> AsyncStream<NetworkState>,
        headStart: Duration
    ) {
        self.database = database
        self.dialects = dialects
        self.vault = vault
        secrets = AccountSecrets(store: LockedSecrets(vault: vault), database: database, dialects: dialects)
        self.locks = locks
        self.now = now
        self.revocationTimeout = revocationTimeout
        self.requestTimeout = requestTimeout
        self.hook = hook
        self.cache = cache
        self.thumbnails = thumbnails
        self.log = log
        self.pollInterval = pollInterval
        self.network = network
        self.headStart = headStart
        watch = AccountWatch(database: database, path: path, pollInterval: pollInterval)
    }

    /// Returns all readable accounts, in the order in which they were added.
    public func accounts() async throws -> [Account] {
        try await rows().compactMap(\.account)
    }

    /// Returns the accounts whose stored server address is invalid, because another program wrote it or the file was
    /// changed by hand.
    package func unreadableAccounts() async throws -> [UnreadableAccount] {
        try await rows().compactMap(\.unreadable)
    }

    private func rows() async throws -> [AccountRow] {
        try await LatchError.converting { try await database.read { try $0.all(Self.allAccounts) } }
    }

    /// Returns the account with an id, or nil when there is none.
    public func account(_ id: Account.ID) async throws -> Account? {
        try await LatchError.converting { try await database.read { try $0.first(Self.oneAccount, id) } }
    }

    /// Returns the active account, or nil when there is none.
    public func activeAccount() async throws -> Account? {
        try await accounts().first(where: \.isActive)
    }

    /// Returns the account that a text identifies: by number, e-mail address, id, the first characters of the id (at
    /// least four), or server.
    ///
    /// - Parameter text: The text that the person entered.
    /// - Returns: The only account that matches.
    /// - Throws: ``LatchError/Code/noAccount`` when none matches, ``LatchError/Code/ambiguousAccount`` when several do.
    package func account(matching text: String) async throws -> Account {
        let all = try await accounts()
        let wanted = text.lowercasedASCII
        let address = try? ServerAddress(text)
        // Exactly as it is printed: an id may begin with "001".
        if let account = all.first(where: { "\($0.number)" == text }) { return account }
        // The form that `accounts` prints has priority over other matches.
        let shown = all.filter { "\($0.userEmail)@\($0.serverURL.withoutScheme)" == text }
        if shown.count == 1 { return shown[0] }
        let fitting = all.filter { account in
            account.userEmail == wanted || account.id.uuidString.lowercased() == wanted
                || "\(account.userEmail)@\(account.serverURL.authority)" == wanted
                || (wanted.utf8.count >= 4 && account.id.uuidString.lowercased().hasPrefix(wanted))
                || account.serverURL == address || account.serverURL.authority == wanted
                || account.serverURL.host == wanted
        }
        // If nothing else matches, accept the host of an address without its port.
        let found = fitting.isEmpty ? all.filter { "\($0.userEmail)@\($0.serverURL.host)" == wanted } : fitting
        switch found.count {
        case 1: return found[0]
        case 0:
            throw LatchError(
                .noAccount,
                "There is no account '\(SanitizedText.clean(text))' here." + Self.advice(on: wanted, among: all))
        default:
            let list = found.map { "\($0.userEmail)@\($0.serverURL.withoutScheme)" }.joined(separator: ", ")
            throw LatchError(
                .ambiguousAccount,
                "'\(SanitizedText.clean(text))' matches several accounts: \(list). Use one of these.")
        }
    }

    /// Returns a hint when a word is too short to identify an account by id. Otherwise returns an empty text.
    private static func advice(on word: String, among accounts: [Account]) -> String {
        // One or two digits are an account number.
        guard word.utf8.count < 4, word.utf8.count == 3 || Int(word) == nil,
            accounts.contains(where: { $0.id.uuidString.lowercased().hasPrefix(word) })
        else { return "" }
        return " Use at least four characters of the id."
    }

    /// Stores an account as signed out, and makes it active.
    ///
    /// ``LatchClient`` does this when a sign-in succeeds. Programs call it only for accounts that they manage
    /// themselves.
    ///
    /// - Throws: ``LatchError/Code/ambiguousAccount`` when the person's account on that server exists already.
    package func addAccount(_ account: Account) async throws {
        do {
            try await change { connection in
                try connection.run(Self.deactivateAll)
                try connection.run(Self.insert, account, stage: .out, isActive: true)
            }
        } catch let error as LatchError {
            guard let cause = error.cause as? DatabaseError, cause.code.constraint == .unique else { throw error }
            throw LatchError(
                .ambiguousAccount, "The account of \(account.userEmail) at \(account.serverURL) already exists.",
                cause: cause)
        }
    }

    /// Removes an account and all its secrets. If it was active, the first remaining account becomes active.
    ///
    /// The session on the server is not ended; ``Session/signOut(onStep:)`` does that. Removing an account that does
    /// not exist has no effect.
    ///
    /// - Throws: ``LatchError`` with a code of the secret store when the secrets could not be removed. The account is
    ///   no longer in the list then, and a later start removes the rest.
    public func removeAccount(_ id: Account.ID) async throws {
        let lock = try await LatchError.converting { try await locks.lock(id) }
        defer { lock.release() }
        try await beginRemoval(id)
        try await finishRemoval(id)
    }

    /// Makes an account active and sets its ``Account/lastUsedAt``. If another account was active before, all cached
    /// responses are removed.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    public func setActiveAccount(_ id: Account.ID) async throws {
        let moment = now()
        // Remove cached responses before any program works with the new account.
        if try await activeAccount()?.id != id { await purgeCaches() }
        try await change { connection in
            try connection.run(Self.deactivateAll)
            guard try connection.run(Self.activate, moment, id) == 1 else { throw Self.missing }
        }
    }

    /// Changes fields of an account.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    package func updateAccount(_ id: Account.ID, _ update: AccountUpdate) async throws {
        try await change { connection in
            let scopes = update.scopes.map(AccountSchema.text)
            let changed = try connection.run(
                Self.update, update.displayName, update.userEmail, update.apiKeyID, scopes, id)
            guard changed == 1 else { throw Self.missing }
        }
    }

    /// Records that the person has changed the password, so that no password change is required any more.
    func recordPasswordChange(_ id: Account.ID) async throws {
        try await change { _ = try $0.run(Self.passwordChanged, id) }
    }

    /// Sets the ``Account/lastUsedAt`` of an account to the current time.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    package func updateLastUsed(_ id: Account.ID) async throws {
        let moment = now()
        try await change { connection in
            guard try connection.run(Self.touch, moment, id) == 1 else { throw Self.missing }
        }
    }

    /// Runs a write transaction and then notifies watchers.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let value = try await LatchError.converting { try await database.write(body) }
        await watch.changed()
        return value
    }

    /// Ends the streams, and closes the cache and the database.
    func close() async {
        await watch.close()
        await cache.close()
        await thumbnails.close()
        await database.close()
    }

    static let missing = LatchError(.noAccount, "The account no longer exists on this device. Sign in again to add it.")
}
