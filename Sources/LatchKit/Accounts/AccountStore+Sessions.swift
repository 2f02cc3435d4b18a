import Database
public import FoundationEssentials
import HTTPMessages
import SecretStorage

/// The state of an account's session in the database, shared by all programs.
struct SessionRecord: Sendable, Equatable {
    var stage: AccountStage
    /// A number that increases with each new token.
    var generation: Int
    /// A number that increases with each attempt to renew the token, successful or not.
    var attempts: Int
    /// The error of the last attempt. Nil when it succeeded.
    var failure: Failure?
    /// When the token is due to be renewed.
    var refreshAfter: Date
    /// When the token expires. Nil when it is not known.
    var expires: Date?
    var endedBecause: String?
    var connection: String
    /// The text of the account's ``EndpointSettings``. Nil when it has none.
    var endpoints: String?
    /// Whether the server requires a password change before anything else.
    var mustChangePassword: Bool

    /// A failure as stored in the database for other programs.
    struct Failure: Sendable, Equatable {
        var code: String
        var message: String

        var error: LatchError { LatchError(LatchError.Code(rawValue: code), message) }
    }

    /// The connection options, without secrets.
    ///
    /// - Throws: ``LatchError/Code/storageDamaged`` when they cannot be decoded. Using defaults instead would drop the
    ///   pinned certificate, so that another server would be trusted.
    var connectionRecord: ConnectionRecord {
        get throws(LatchError) {
            guard let record = try? JSON.decode(ConnectionRecord.self, from: Array(connection.utf8)) else {
                throw ConnectionOptions.unreadable
            }
            return record
        }
    }
}

extension AccountStore {
    /// Returns the key of an account's token in the secret store.
    static func tokenKey(_ id: UUID) -> SecretKey {
        SecretKey(service: "latchstring", account: id.uuidString.lowercased())
    }

    /// Returns the key of an account's connection secrets in the secret store. They are in one of two slots.
    static func connectionKey(_ id: UUID, slot: Int? = nil) -> SecretKey {
        let place = slot.map { "/connection-\($0)" } ?? "/connection"
        return SecretKey(service: "latchstring", account: id.uuidString.lowercased() + place)
    }

    /// Returns the record of an account's session. Nil when there is no such account.
    func record(_ id: UUID) async throws -> SessionRecord? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectRecord, id) } }
    }

    /// Returns the id of an account's API key, even while the account is being removed.
    func keyID(of id: UUID) async throws -> String? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectKeyID, id) } } ?? nil
    }

    /// Returns the connection options of an account's server, including the secrets.
    public func connection(of id: Account.ID) async throws -> ConnectionOptions {
        var read: String?
        while true {
            guard let record = try await record(id) else { throw Self.missing }
            let connection = try record.connectionRecord
            guard connection.hasSecrets else { return try ConnectionOptions(connection, SecretConnection()) }
            let key = Self.connectionKey(id, slot: connection.slot)
            let secret = try await LatchError.converting { try await secrets.read(key) }
            if let secret {
                guard let parsed = secret.withBytes({ try? JSON.decode(SecretConnection.self, from: $0) }) else {
                    throw ConnectionOptions.unreadable
                }
                return try ConnectionOptions(connection, parsed)
            }
            // If the row has changed, another program may have moved the secrets to the other slot between the two
            // reads.
            guard record.connection == read else {
                read = record.connection
                continue
            }
            throw LatchError(
                .secretStoreFailed,
                "The secret store no longer contains the extra headers or passphrase of this account. "
                    + "Sign in again with them.")
        }
    }

    /// Records that the token was renewed. Returns false when the session is not the one of `generation` any more.
    ///
    /// The caller holds the account's lock and has written the token.
    func recordRenewal(_ id: UUID, of generation: Int, refreshAfter: Date, expires: Date?) async throws -> Bool {
        try await change { try $0.run(Self.renew, refreshAfter, expires, id, generation) == 1 }
    }

    /// Records a failed attempt, for other programs that wait for the lock.
    func recordFailure(_ id: UUID, of generation: Int, _ error: LatchError, refreshAfter: Date) async throws {
        try await change { connection in
            _ = try connection.run(Self.fail, error.code.rawValue, error.message, refreshAfter, id, generation)
        }
    }

    /// Records when the current token expires, when the server reports it later.
    func recordExpiry(_ id: UUID, of generation: Int, refreshAfter: Date, expires: Date) async throws {
        try await change { _ = try $0.run(Self.expire, refreshAfter, expires, id, generation) }
    }

    /// Ends a session that the server has rejected. Returns false when the session is not the one of `generation` any
    /// more.
    ///
    /// The person's picture, the first sync and cached responses are deleted with it. What the next sign-in needs stays:
    /// the row, its connection and its endpoints.
    ///
    /// The caller holds the account's lock. First the row is marked, then the secret is removed, then the row is
    /// completed. If a crash interrupts this, the next start finishes it.
    func end(_ id: UUID, of generation: Int, because reason: String) async throws -> Bool {
        let isEnded = try await change { connection in
            guard try connection.run(Self.beginEnd, reason, id, generation) == 1 else { return false }
            try Self.deletePersonalData(id, connection)
            return true
        }
        guard isEnded else { return false }
        await purgeCaches(of: id)
        try hook.after(.endRecorded)
        try await finishWiping(id)
        return true
    }

    /// Removes the token of a row in the stage `wiping` and completes the row.
    func finishWiping(_ id: UUID) async throws {
        try await LatchError.converting { try await secrets.remove(Self.tokenKey(id)) }
        try hook.after(.endWiped)
        try await change { _ = try $0.run(Self.finishEnd, id) }
    }

    /// Hides an account that is to be removed, and makes the first remaining account active.
    func beginRemoval(_ id: UUID) async throws {
        // Removing the active account activates another one, which must find an empty cache. An unreadable account may
        // be active.
        let isActive = (try? await account(id))?.isActive ?? true
        await purgeCaches(of: isActive ? nil : id)
        try await change { connection in
            try connection.run(Self.leave, id)
            try connection.run(Self.activateFirst)
        }
        try hook.after(.leavingRecorded)
    }

    /// Removes a hidden account's secrets, then its row.
    ///
    /// Records of possibly orphaned keys are kept for the person's next sign-in there.
    func finishRemoval(_ id: UUID, onWiped: () -> Void = {}) async throws {
        // The row goes last, because the next start finds the remaining secrets through it.
        do {
            try await removeSecrets(id)
        } catch {
            try? await change { try Self.deletePersonalData(id, $0) }
            throw error
        }
        onWiped()
        try hook.after(.leavingWiped)
        try await change { _ = try $0.run(Self.delete, id) }
    }

    /// Removes an account's secrets.
    func removeSecrets(_ id: UUID) async throws {
        // Unreadable endpoints do not prevent a sign-out.
        try await removeSecrets(of: (try? await endpoints(of: id))?.all ?? [])
        try await LatchError.converting {
            try await secrets.remove(Self.tokenKey(id))
            for slot in ConnectionRecord.slots { try await secrets.remove(Self.connectionKey(id, slot: slot)) }
            try await secrets.remove(Self.sealingKeyName(id))
        }
    }
}

extension AccountStore {
    /// Returns when the token of each signed-in account is due, for the accounts whose tokens can be renewed.
    func renewalDates() async throws -> [Account.ID: Date] {
        let rows = try await LatchError.converting { try await database.read { try $0.all(Self.selectRenewalDates) } }
        let renewable = rows.filter {
            let details = AccountSchema.details($0.details)
            return dialects.named(DialectID(rawValue: $0.dialect), details: details)?.refresh != nil
        }
        return Dictionary(uniqueKeysWithValues: renewable.map { ($0.id, $0.date) })
    }

    private static let selectRenewalDates = Statement(
        "SELECT id, dialect, refresh_after, details FROM accounts WHERE stage = 'in'"
    ) { row throws(DatabaseError) in
        (
            id: try row.get(0) as UUID, dialect: try row.get(1) as String, date: try row.get(2) as Date,
            details: try row.get(3) as String
        )
    }

    static let selectRecord = Statement(
        """
        SELECT stage, generation, attempts, failure_code, failure_message, refresh_after, expires_at, ended_because, \
        connection, must_change_password, (SELECT settings FROM endpoints WHERE account = accounts.id) \
        FROM accounts WHERE id = ?
        """, UUID.self
    ) { row throws(DatabaseError) in
        let stage: String = try row.get(0)
        let code: String? = try row.get(3)
        let message: String? = try row.get(4)
        return SessionRecord(
            stage: AccountStage(rawValue: stage) ?? .out, generation: try row.get(1), attempts: try row.get(2),
            failure: code.map { SessionRecord.Failure(code: $0, message: message ?? "") },
            refreshAfter: try row.get(5), expires: try row.get(6), endedBecause: try row.get(7),
            connection: try row.get(8), endpoints: try row.get(10), mustChangePassword: try row.get(9))
    }

    static let selectKeyID = Statement("SELECT api_key_id FROM accounts WHERE id = ?", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as String?
    }

    static let renew = Statement(
        """
        UPDATE accounts SET generation = generation + 1, attempts = attempts + 1, failure_code = NULL, \
        failure_message = NULL, refresh_after = ?, expires_at = ? WHERE id = ? AND generation = ? AND stage = 'in'
        """, Date.self, Date?.self, UUID.self, Int.self)

    static let fail = Statement(
        """
        UPDATE accounts SET attempts = attempts + 1, failure_code = ?, failure_message = ?, refresh_after = ? \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, String.self, String.self, Date.self, UUID.self, Int.self)

    static let expire = Statement(
        """
        UPDATE accounts SET refresh_after = min(refresh_after, ?), expires_at = ? \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, Date.self, Date.self, UUID.self, Int.self)

    static let beginEnd = Statement(
        """
        UPDATE accounts SET stage = 'wiping', ended_because = ?, expires_at = NULL, picture_version = NULL \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, String.self, UUID.self, Int.self)

    static let finishEnd = Statement(
        """
        UPDATE accounts SET stage = 'out', details = json_remove(details, '$.\(SignedIn.ownKeyEntry)') \
        WHERE id = ? AND stage = 'wiping'
        """, UUID.self)

    static let leave = Statement("UPDATE accounts SET stage = 'leaving', is_active = 0 WHERE id = ?", UUID.self)

    static let delete = Statement(
        "DELETE FROM accounts WHERE id = ? AND stage IN ('pending', 'leaving')", UUID.self)

    static let everyID = Statement("SELECT id FROM accounts") { row throws(DatabaseError) in try row.get(0) as UUID }

    static let unfinished = Statement(
        "SELECT id FROM accounts WHERE stage IN ('pending', 'wiping', 'leaving')"
    ) { row throws(DatabaseError) in try row.get(0) as UUID }
}
