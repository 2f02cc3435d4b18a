package import Database
public import FoundationEssentials

/// The accounts of this device, in one SQLite file that several programs may use at once.
///
/// One account is active at most, always: the database itself refuses two. Secrets are never in the file; removing an
/// account removes its secrets first. A crash leaves every account whole or absent.
///
/// Source: RM-1, RM-2, RM-3.
public final class AccountStore: Sendable {
    package let database: Database
    /// What the names of the parts of downloads begin with: 8 digits that hardly any other accounts database has.
    package let downloadOwner: String
    let secrets: any SecretStoring
    let locks: AccountLocks
    let now: @Sendable () -> Date
    let revocationTimeout: Duration
    let requestTimeout: @Sendable () -> Duration
    let hook: CrashPoint
    let watch: AccountWatch
    let cache: ResponseCache
    let log: ClientLog

    init(
        database: Database, downloadOwner: String, secrets: any SecretStoring, locks: AccountLocks,
        now: @escaping @Sendable () -> Date,
        pollInterval: Duration, revocationTimeout: Duration, requestTimeout: @escaping @Sendable () -> Duration,
        hook: CrashPoint,
        cache: ResponseCache, log: ClientLog
    ) {
        self.database = database
        self.downloadOwner = downloadOwner
        self.secrets = AccountSecrets(store: secrets, database: database)
        self.locks = locks
        self.now = now
        self.revocationTimeout = revocationTimeout
        self.requestTimeout = requestTimeout
        self.hook = hook
        self.cache = cache
        self.log = log
        watch = AccountWatch(database: database, pollInterval: pollInterval)
    }

    /// All accounts that can be read, in the order in which they were added.
    public func accounts() async throws -> [Account] {
        try await rows().compactMap(\.account)
    }

    /// The accounts whose address is none: another program wrote it, or the file was changed by hand.
    public func unreadableAccounts() async throws -> [UnreadableAccount] {
        try await rows().compactMap(\.unreadable)
    }

    private func rows() async throws -> [AccountRow] {
        try await LatchError.telling { try await database.read { try $0.all(Self.allAccounts) } }
    }

    /// The account of that id, or nil.
    public func account(_ id: Account.ID) async throws -> Account? {
        try await LatchError.telling { try await database.read { try $0.first(Self.oneAccount, id) } }
    }

    /// The active account, or nil when there is none.
    public func activeAccount() async throws -> Account? {
        try await accounts().first(where: \.isActive)
    }

    /// The account that a person names by its number, e-mail address, id or the beginning of the id, or by its server.
    ///
    /// - Parameter text: What the person wrote.
    /// - Returns: The one account that fits.
    /// - Throws: ``LatchError/Code/noAccount`` when none fits, ``LatchError/Code/ambiguousAccount`` when several do.
    public func account(matching text: String) async throws -> Account {
        let all = try await accounts()
        let wanted = text.lowercased()
        let address = try? ServerAddress(text)
        if let number = Int(text), let account = all.first(where: { $0.number == number }) { return account }
        // What `accounts` shows of one account is that account's, whatever else fits.
        let shown = all.filter { "\($0.userEmail)@\($0.serverURL.withoutScheme)" == text }
        if shown.count == 1 { return shown[0] }
        let fitting = all.filter { account in
            account.userEmail == wanted || account.id.uuidString.lowercased() == wanted
                || "\(account.userEmail)@\(account.serverURL.authority)" == wanted
                || (wanted.utf8.count >= 4 && account.id.uuidString.lowercased().hasPrefix(wanted))
                || account.serverURL == address || account.serverURL.authority == wanted
                || account.serverURL.host == wanted
        }
        // The host of an address without its port, where nothing else fits.
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
                .ambiguousAccount, "'\(SanitizedText.clean(text))' fits several accounts: \(list). Give one of these.")
        }
    }

    /// What helps where a word is too short to name an account.
    private static func advice(on word: String, among accounts: [Account]) -> String {
        // One or two digits are the number of an account.
        guard word.utf8.count < 4, word.utf8.count == 3 || Int(word) == nil,
            accounts.contains(where: { $0.id.uuidString.lowercased().hasPrefix(word) })
        else { return "" }
        return " Give at least four characters of the id."
    }

    /// Keeps an account, signed out, and makes it the active one.
    ///
    /// ``Latchstring`` does this when a sign-in succeeds; a program calls it only for accounts that it manages itself.
    ///
    /// - Throws: ``LatchError/Code/ambiguousAccount`` when that person's account on that server is there already.
    public func addAccount(_ account: Account) async throws {
        do {
            try await change { connection in
                try connection.run(Self.deactivateAll)
                try connection.run(Self.insert, account, stage: .out, isActive: true)
            }
        } catch let error as LatchError {
            guard let cause = error.cause as? DatabaseError, cause.code.constraint == .unique else { throw error }
            throw LatchError(
                .ambiguousAccount, "The account of \(account.userEmail) at \(account.serverURL) is there already.",
                cause: cause)
        }
    }

    /// Removes an account with all its secrets; was it the active one, the first that remains becomes active.
    ///
    /// The server is not told: ``Session/signOut(onStep:)`` does that. Removing what is not there is fine.
    ///
    /// - Throws: ``LatchError`` with a code of the secret store when that kept the secrets; the account is gone from
    ///   the list all the same, and the rest is removed at a later start.
    public func removeAccount(_ id: Account.ID) async throws {
        let lock = try await LatchError.telling { try await locks.lock(id) }
        defer { lock.release() }
        try await beginLeaving(id)
        try await finishLeaving(id)
    }

    /// Makes an account the active one and notes its use; another than before finds no kept answer of anybody.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    public func setActiveAccount(_ id: Account.ID) async throws {
        let moment = now()
        // Before anybody works with the other account.
        if try await activeAccount()?.id != id { await cache.purge() }
        try await change { connection in
            try connection.run(Self.deactivateAll)
            guard try connection.run(Self.activate, moment, id) == 1 else { throw Self.missing }
        }
    }

    /// Changes fields of an account.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    public func updateAccount(_ id: Account.ID, _ update: AccountUpdate) async throws {
        try await change { connection in
            let scopes = update.scopes.map(AccountSchema.text)
            let changed = try connection.run(
                Self.update, update.displayName, update.userEmail, update.apiKeyID, scopes, id)
            guard changed == 1 else { throw Self.missing }
        }
    }

    /// Notes that the server has another password for the person now and wants no change any more.
    func notePasswordChanged(_ id: Account.ID) async throws {
        try await change { _ = try $0.run(Self.passwordChanged, id) }
    }

    /// Notes that an account was used now.
    ///
    /// - Throws: ``LatchError/Code/noAccount``.
    public func updateLastUsed(_ id: Account.ID) async throws {
        let moment = now()
        try await change { connection in
            guard try connection.run(Self.touch, moment, id) == 1 else { throw Self.missing }
        }
    }

    /// One change, told to those who watch.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let value = try await LatchError.telling { try await database.write(body) }
        await watch.changed()
        return value
    }

    /// Closes the database.
    func close() async {
        await cache.close()
        await database.close()
    }

    static let missing = LatchError(.noAccount, "The account is not here any more. Sign in again to add it.")
}
