import Crypto
import Database
import FoundationEssentials

/// The result of a sign-in, to be stored.
struct SignedIn: Sendable {
    var server: Server
    var email: String
    var tokens: SessionTokens
    var expires: Date?
    var refreshAfter: Date
    var displayName: String?
    var personID: String?
    var scopes: [String]
    var keyID: String?
    /// The name of the key, when this sign-in had the server create one.
    var keyName: KeyName?
    var mustChangePassword = false
    /// Whether the person provided the key. Undoing the sign-in must not revoke such a key.
    var isPersonsOwn = false

    /// The id of the key that would be orphaned on the server if the sign-in is not completed.
    var revocableKeyID: String? { isPersonsOwn ? nil : keyID }

    /// The name of an entry in the details of an incomplete row. It marks the API key as the person's own.
    static let ownKeyEntry = "personsOwnKey"
}

/// The session that a new session replaced.
struct ReplacedSession: Sendable {
    var tokens: SessionTokens
    var keyID: String?
    /// The stored details of its server. They may differ from those of the new session, such as by the client id.
    var details: [String: String]

    /// Whether the replaced session has other tokens than `tokens`.
    func isAnother(than tokens: SessionTokens) -> Bool {
        (self.tokens.access, self.tokens.refresh) != (tokens.access, tokens.refresh)
    }
}

extension AccountStore {
    /// Stores a sign-in and makes the account active. The account is added, or the new session replaces its old one.
    ///
    /// The order is: an incomplete row, the secrets of the connection, the token, and then the row completed and
    /// active. Until the last step the account is unchanged, and the next start undoes what a crash interrupted. If
    /// the account is already signed in, the new token is used from the moment it is written.
    ///
    /// - Returns: The account, and the session that was replaced.
    func storeSignIn(
        _ signIn: SignedIn, _ onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> (account: Account, old: ReplacedSession?) {
        // Two sign-ins of the same person must use one row, which only exists after the first of them.
        let signInLock = try await locks.lock(named: "sign-in")
        defer { signInLock.release() }
        let id = try await rowID(for: signIn)
        let lock = try await locks.lock(id)
        defer { lock.release() }
        // The rest is completed or undone even when the caller is cancelled. Half of it would be neither the old
        // session nor the new one.
        return try await Task { try await storeSignIn(signIn, as: id, onStep) }.value
    }

    /// Stores a sign-in in the row with an id. The caller holds the account's lock.
    private func storeSignIn(
        _ signIn: SignedIn, as id: UUID, _ onStep: @Sendable (SignInProgress) -> Void
    ) async throws -> (account: Account, old: ReplacedSession?) {
        let oldAccount = try await account(id)
        let oldKey = oldAccount?.apiKeyID
        let oldToken = try await LatchError.converting { try await secrets.read(Self.tokenKey(id)) }
        let connection = StoredConnection(signIn.server.connection, replacing: try? await record(id)?.connectionRecord)
        let old = oldToken.map { SessionTokens(stored: $0) }
        var signIn = signIn
        // The person signed in with the same key again, but without its id, which is already known here.
        if signIn.keyID == nil, let old, old.access == signIn.tokens.access {
            signIn.keyID = old.keyID ?? oldKey
            signIn.tokens.keyID = signIn.keyID
        }
        do {
            try await makeRow(id, for: signIn, connection: connection, replacing: old?.keyID ?? oldKey)
            try await write(signIn, connection: connection, as: id)
            onStep(.tokenStored)
            // A new session starts with an empty cache, and so does an account that becomes active.
            await purgeCaches()
            try await completeRow(id, for: signIn, connection: connection)
            onStep(.accountStored)
        } catch {
            // If undoing fails too, the row stays and the next start undoes it.
            if (try? hook.after(.rowMade)) != nil {
                try? await undoSignIn(as: id, restoring: oldToken, connection: connection)
            }
            throw error
        }
        await removeConnectionSecrets(except: connection.record, id)
        guard let account = try await account(id) else { throw Self.missing }
        let details = oldAccount?.details ?? [:]
        return (account, old.map { ReplacedSession(tokens: $0, keyID: $0.keyID ?? oldKey, details: details) })
    }

    /// Returns the stored details of the accounts at a server, the latest first.
    func details(at server: Server) async throws -> [[String: String]] {
        try await accounts()
            .filter { $0.serverURL == server.address && $0.dialect == server.dialect.id }
            .sorted { $0.lastUsedAt > $1.lastUsedAt }
            .map(\.details)
    }

    private func rowID(for signIn: SignedIn) async throws -> UUID {
        let (url, dialect) = (signIn.server.address.url, signIn.server.dialect.id.rawValue)
        return try await LatchError.converting {
            try await database.read { try $0.first(Self.find, url, signIn.email, dialect) } ?? UUID()
        }
    }

    private func makeRow(
        _ id: UUID, for signIn: SignedIn, connection split: StoredConnection, replacing oldKey: String?
    ) async throws {
        let (moment, connectionRow) = (now(), split.row)
        try await change { connection in
            if try connection.first(Self.selectRecord, id) != nil {
                try connection.run(
                    Self.reopen, AccountSchema.text(signIn.server.dialect.details),
                    signIn.isPersonsOwn ? Self.setOwnKey : Self.clearOwnKey, id)
                // A key that is used again does not replace itself.
                if let oldKey, oldKey != signIn.keyID { try Self.record(.id(oldKey), of: id, at: moment, connection) }
                return try Self.recordID(of: signIn, id, at: moment, connection)
            }
            var account = Account(
                id: id, displayName: signIn.displayName ?? signIn.email, serverURL: signIn.server.address,
                userEmail: signIn.email, apiKeyID: signIn.keyID, createdAt: moment, dialect: signIn.server.dialect.id)
            account.details = signIn.server.dialect.details
            if signIn.isPersonsOwn { account.details[SignedIn.ownKeyEntry] = "yes" }
            try connection.run(Self.insert, account, stage: .pending, isActive: false)
            // After a crash, the next start sends requests to the server and needs the connection.
            try connection.run(Self.connect, connectionRow, id)
            try Self.recordID(of: signIn, id, at: moment, connection)
        }
        try hook.after(.rowMade)
    }

    /// Records the id of the new key. Its name is no longer needed to find it, so the record of the name is removed.
    private static func recordID(
        of signIn: SignedIn, _ id: UUID, at moment: Date, _ connection: Connection
    ) throws(DatabaseError) {
        guard let key = signIn.revocableKeyID else { return }
        try record(.id(key), of: id, at: moment, connection)
        if let name = signIn.keyName { _ = try connection.run(deleteOrphanedKey, name.text, id) }
    }

    private func write(_ signIn: SignedIn, connection split: StoredConnection, as id: UUID) async throws {
        try await writeSecrets(id, split)
        try hook.after(.connectionWritten)
        try await LatchError.converting { try await secrets.write(signIn.tokens.stored, for: Self.tokenKey(id)) }
        try hook.after(.tokenWritten)
    }

    private func completeRow(_ id: UUID, for signIn: SignedIn, connection split: StoredConnection) async throws {
        let (moment, connectionRow) = (now(), split.row)
        try await change { connection in
            // First, because a unique index allows only one active account at any moment.
            try connection.run(Self.deactivateAll)
            let changed = try connection.run(
                Self.complete, signIn.displayName, signIn.personID, AccountSchema.text(signIn.scopes), signIn.keyID,
                AccountSchema.text(signIn.server.dialect.details), signIn.mustChangePassword, connectionRow,
                signIn.refreshAfter, signIn.expires, moment, id)
            guard changed == 1 else { throw Self.missing }
            // The first sync of the new session follows. A server that was set up again may have another person here.
            try Self.deletePersonalData(id, connection)
            try connection.run(Self.deleteFoundServer)
            if let key = signIn.keyID { _ = try connection.run(Self.deleteOrphanedKey, key, id) }
        }
        try hook.after(.rowWhole)
    }

    private func undoSignIn(as id: UUID, restoring oldToken: Secret?, connection split: StoredConnection) async throws {
        switch try await record(id)?.stage {
        case .pending: try await finishRemoval(id)
        case .wiping: try await finishWiping(id)
        case .in:
            // The previous session continues.
            await removeConnectionSecrets(of: split.record, id)
            if let oldToken { try await secrets.write(oldToken, for: Self.tokenKey(id)) }
        default: break
        }
    }

    private static let find = Statement(
        "SELECT id FROM accounts WHERE server_url = ? AND user_email = ? AND dialect = ? AND stage <> 'leaving'",
        String.self, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    /// Prepares a row without a session for a new one. Stores the details of the server, with which the next start would
    /// undo the sign-in, and sets or clears ``SignedIn/ownKeyEntry``, whatever it was for the previous key.
    private static let reopen = Statement(
        """
        UPDATE accounts SET stage = CASE stage WHEN 'out' THEN 'wiping' ELSE stage END, \
        details = json_patch(?, ?) WHERE id = ? AND stage <> 'in'
        """, String.self, String.self, UUID.self)

    /// Patches that are merged into the details of a row (RFC 7396).
    private static let setOwnKey = "{\"\(SignedIn.ownKeyEntry)\":\"yes\"}"
    private static let clearOwnKey = "{\"\(SignedIn.ownKeyEntry)\":null}"

    static let connect = Statement(
        "UPDATE accounts SET connection = ? WHERE id = ?", String.self, UUID.self)

    private static let complete = Statement(
        """
        UPDATE accounts SET display_name = coalesce(?, display_name), person_id = coalesce(?, person_id), \
        picture_version = NULL, scopes = ?, api_key_id = ?, details = ?, \
        must_change_password = ?, connection = ?, stage = 'in', \
        ended_because = NULL, generation = generation + 1, attempts = attempts + 1, failure_code = NULL, \
        failure_message = NULL, refresh_after = ?, expires_at = ?, last_used_at = ?, is_active = 1 WHERE id = ?
        """, String?.self, String?.self, String.self, String?.self, String.self, Bool.self, String.self, Date.self,
        Date?.self, Date.self, UUID.self)
}
