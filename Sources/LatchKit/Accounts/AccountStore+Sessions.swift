import Database
public import FoundationEssentials

/// What the database knows of an account's session, shared by every program.
struct SessionRecord: Sendable, Equatable {
    var stage: AccountStage
    /// Grows with each token.
    var generation: Int
    /// Grows with each try to renew the token, whatever came of it.
    var attempts: Int
    /// Why the last try failed, if it did.
    var failure: Failure?
    /// When the token is due to be renewed.
    var refreshAfter: Date
    /// When the token ends, where that is known.
    var expires: Date?
    var endedBecause: String?
    var connection: String
    /// Whether the server wants another password before anything else.
    var mustChangePassword: Bool

    /// A failure as it is shared.
    struct Failure: Sendable, Equatable {
        var code: String
        var message: String

        var error: LatchError { LatchError(LatchError.Code(rawValue: code), message) }
    }

    /// How the server is connected to, without secrets.
    ///
    /// - Throws: ``LatchError/Code/storageDamaged`` when it cannot be decoded. Defaults in its place would drop the pinned
    ///   certificate, so that another server would be trusted.
    var kept: KeptConnection {
        get throws(LatchError) {
            guard let kept = try? JSON.decode(KeptConnection.self, from: Array(connection.utf8)) else {
                throw ConnectionOptions.unreadable
            }
            return kept
        }
    }
}

extension AccountStore {
    /// The key of an account's token in the secret store.
    static func tokenKey(_ id: UUID) -> SecretKey {
        SecretKey(service: "latchstring", account: id.uuidString.lowercased())
    }

    /// The key of an account's connection secrets, in one of their two places.
    static func connectionKey(_ id: UUID, slot: Int? = nil) -> SecretKey {
        let place = slot.map { "/connection-\($0)" } ?? "/connection"
        return SecretKey(service: "latchstring", account: id.uuidString.lowercased() + place)
    }

    /// The session's record; nil when there is no such account.
    func record(_ id: UUID) async throws -> SessionRecord? {
        try await LatchError.telling { try await database.read { try $0.first(Self.selectRecord, id) } }
    }

    /// The id of an account's key, also of one that is being removed.
    func keyID(of id: UUID) async throws -> String? {
        try await LatchError.telling { try await database.read { try $0.first(Self.selectKeyID, id) } } ?? nil
    }

    /// How an account's server is connected to, secrets included.
    public func connection(of id: Account.ID) async throws -> ConnectionOptions {
        var read: String?
        while true {
            guard let record = try await record(id) else { throw Self.missing }
            let kept = try record.kept
            guard kept.hasSecrets else { return try ConnectionOptions(kept, SecretConnection()) }
            let key = Self.connectionKey(id, slot: kept.slot)
            let secret = try await LatchError.telling { try await secrets.read(key) }
            if let secret {
                guard let parsed = secret.withBytes({ try? JSON.decode(SecretConnection.self, from: $0) }) else {
                    throw ConnectionOptions.unreadable
                }
                return try ConnectionOptions(kept, parsed)
            }
            // Another program may have moved the secrets to the other slot between the two reads. The row has changed then.
            guard record.connection == read else {
                read = record.connection
                continue
            }
            throw LatchError(
                .secretStoreFailed,
                "The secret store does not hold the extra headers or passphrase of this account any more. "
                    + "Sign in again with them.")
        }
    }

    /// Notes a renewed token, if the session is still the one of `generation`.
    ///
    /// The caller holds the account's lock and has written the token.
    func noteRenewal(_ id: UUID, of generation: Int, refreshAfter: Date, expires: Date?) async throws -> Bool {
        try await change { try $0.run(Self.renew, refreshAfter, expires, id, generation) == 1 }
    }

    /// Notes a failed try, for those who wait for the lock.
    func noteFailure(_ id: UUID, of generation: Int, _ error: LatchError, refreshAfter: Date) async throws {
        try await change { connection in
            _ = try connection.run(Self.fail, error.code.rawValue, error.message, refreshAfter, id, generation)
        }
    }

    /// Notes when the present token ends, as the server told later.
    func noteExpiry(_ id: UUID, of generation: Int, refreshAfter: Date, expires: Date) async throws {
        try await change { _ = try $0.run(Self.expire, refreshAfter, expires, id, generation) }
    }

    /// Ends a session that the server has rejected, if it is still the one of `generation`; whether it was.
    ///
    /// The caller holds the account's lock. In order: the row says that the secret goes; it goes; the row says so. A
    /// crash between is finished at the next start.
    func end(_ id: UUID, of generation: Int, because reason: String) async throws -> Bool {
        guard try await change({ try $0.run(Self.beginEnd, reason, id, generation) == 1 }) else { return false }
        await cache.purge(id)
        try hook.after(.endNoted)
        try await finishWiping(id)
        return true
    }

    /// Removes the token of a row in the stage `wiping`, and says so.
    func finishWiping(_ id: UUID) async throws {
        try await LatchError.telling { try await secrets.remove(Self.tokenKey(id)) }
        try hook.after(.endWiped)
        try await change { _ = try $0.run(Self.finishEnd, id) }
    }

    /// Hides an account that is to be removed, and makes the first that remains active.
    func beginLeaving(_ id: UUID) async throws {
        // When the active one goes another becomes it; one that cannot be read may be it.
        let isActive = (try? await account(id))?.isActive ?? true
        await cache.purge(isActive ? nil : id)
        try await change { connection in
            try connection.run(Self.leave, id)
            try connection.run(Self.activateFirst)
        }
        try hook.after(.leavingNoted)
    }

    /// Removes a hidden account's secrets, then its row.
    ///
    /// What is noted of keys that may be left over on the server stays, for the person's next sign-in there.
    func finishLeaving(_ id: UUID, onWiped: () -> Void = {}) async throws {
        try await removeSecrets(id)
        onWiped()
        try hook.after(.leavingWiped)
        try await change { _ = try $0.run(Self.delete, id) }
    }

    /// Removes an account's secrets.
    func removeSecrets(_ id: UUID) async throws {
        try await LatchError.telling {
            try await secrets.remove(Self.tokenKey(id))
            for slot in KeptConnection.slots { try await secrets.remove(Self.connectionKey(id, slot: slot)) }
            try await secrets.remove(Self.downloadKeyName(id))
        }
    }
}

extension AccountStore {
    static let selectRecord = Statement(
        """
        SELECT stage, generation, attempts, failure_code, failure_message, refresh_after, expires_at, ended_because, \
        connection, must_change_password FROM accounts WHERE id = ?
        """, UUID.self
    ) { row throws(DatabaseError) in
        let stage: String = try row.get(0)
        let code: String? = try row.get(3)
        let message: String? = try row.get(4)
        return SessionRecord(
            stage: AccountStage(rawValue: stage) ?? .out, generation: try row.get(1), attempts: try row.get(2),
            failure: code.map { SessionRecord.Failure(code: $0, message: message ?? "") },
            refreshAfter: try row.get(5), expires: try row.get(6), endedBecause: try row.get(7),
            connection: try row.get(8), mustChangePassword: try row.get(9))
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
        UPDATE accounts SET stage = 'wiping', ended_because = ?, expires_at = NULL \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, String.self, UUID.self, Int.self)

    static let finishEnd = Statement(
        """
        UPDATE accounts SET stage = 'out', details = json_remove(details, '$.\(SignedIn.ownMark)') \
        WHERE id = ? AND stage = 'wiping'
        """, UUID.self)

    static let leave = Statement("UPDATE accounts SET stage = 'leaving', is_active = 0 WHERE id = ?", UUID.self)

    static let delete = Statement(
        "DELETE FROM accounts WHERE id = ? AND stage IN ('pending', 'leaving')", UUID.self)

    static let unfinished = Statement(
        "SELECT id FROM accounts WHERE stage IN ('pending', 'wiping', 'leaving')"
    ) { row throws(DatabaseError) in try row.get(0) as UUID }
}
