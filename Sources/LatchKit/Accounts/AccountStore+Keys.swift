import Database
import FoundationEssentials
import HTTPClient

/// Sends a request to an account's server with the token that the account holds.
typealias RequestSender = @Sendable (DialectRequest) async throws -> ClientResponse

extension AccountStore {
    /// How many seconds a server may take to create a key after the client stopped waiting for the response. The server
    /// may have queued the request for that long.
    private static let maximumQueueTime: TimeInterval = 300

    /// Revokes the orphaned keys on an account's server, and stores the id of the key that the account uses.
    ///
    /// The caller holds the account's lock. Keys that cannot be revoked stay recorded for a later start.
    ///
    /// - Returns: Why a key could not be revoked. Nil when there is no orphaned key.
    func revokeOrphanedKeys(
        of id: UUID, dialect: any KeyDialect, at server: ServerAddress, send: RequestSender
    ) async throws -> LatchError? {
        var orphans = try await orphanedKeys(of: id)
        guard !orphans.isEmpty, let owner = try await keyOwner(of: id) else { return nil }
        // A sign-in in progress has also recorded the name of its key. That key is not orphaned.
        let lock = try locks.lockIfFree(named: owner.lockName)
        defer { lock?.release() }
        if lock == nil { orphans.removeAll { $0.identifier.isName } }
        let stored = try await LatchError.converting { try await secrets.read(Self.tokenKey(id)) }
        let currentKey = stored.map { SessionTokens(stored: $0) }?.keyID
        // A crash may have left a newer key in the store than in the row.
        if let currentKey, try await keyID(of: id) != currentKey {
            try await change { _ = try $0.run(Self.takeKeyID, currentKey, id) }
        }
        var failure: LatchError?
        for orphan in orphans {
            do {
                try await revoke(orphan, of: id, except: currentKey, dialect: dialect, at: server, send: send)
            } catch is SimulatedCrash {
                throw SimulatedCrash()
            } catch {
                let error = LatchError(error, asking: server)
                failure = error
                // When the server does not respond, do not wait for it again with every key.
                guard Self.answers.contains(error.code) else { break }
            }
        }
        return failure
    }

    /// The codes of errors that show that the server responded.
    private static let answers: Set<LatchError.Code> = [
        .serverRefused, .serverError, .rateLimited, .interceptedResponse,
    ]

    /// Stops the loop when a test simulates a crash. Other errors are collected instead.
    private struct SimulatedCrash: Error {}

    private func revoke(
        _ orphan: OrphanedKey, of id: UUID, except currentKey: String?, dialect: any KeyDialect,
        at server: ServerAddress, send: RequestSender
    ) async throws {
        var ids: [String] = []
        switch orphan.identifier {
        case .id(let key): ids = [key]
        case .name(let name):
            let keys = try dialect.keys(from: try await send(dialect.keyList), of: server)
            ids = keys.filter(KeyName(recorded: name).isName).map(\.id)
            // The server may still create the key, so the record stays for now.
            guard !ids.isEmpty || now().timeIntervalSince(orphan.recorded) > Self.maximumQueueTime else { return }
        }
        for key in ids where key != currentKey {
            try await end(key, dialect: dialect, at: server, send: send)
            do { try hook.after(.orphanedKeyRevoked) } catch { throw SimulatedCrash() }
        }
        try await removeRecord(orphan.identifier, of: id)
    }

    private func end(
        _ key: String, dialect: any KeyDialect, at server: ServerAddress, send: RequestSender
    ) async throws {
        let request = dialect.revokeKey(key)
        if let error = dialect.revocationError(try await send(request), to: request, at: server) { throw error }
    }

    /// Records the key that replaced another one in the secret store, and removes the note of its name.
    ///
    /// The caller holds the account's lock and has written the key. Returns false when the session is not the one of
    /// `generation` any more.
    func recordRotation(_ id: UUID, of generation: Int, to grant: Grant, named name: KeyName) async throws -> Bool {
        let scopes = grant.scopes.map(AccountSchema.text)
        return try await change { connection in
            guard try connection.run(Self.rotate, grant.keyID, scopes, id, generation) == 1 else { return false }
            _ = try connection.run(Self.deleteOrphanedKey, name.text, id)
            return true
        }
    }

    private static let takeKeyID = Statement(
        "UPDATE accounts SET api_key_id = ?, generation = generation + 1 WHERE id = ? AND stage = 'in'", String.self,
        UUID.self)

    private static let rotate = Statement(
        """
        UPDATE accounts SET api_key_id = ?, scopes = coalesce(?, scopes), generation = generation + 1, \
        attempts = attempts + 1, failure_code = NULL, failure_message = NULL \
        WHERE id = ? AND generation = ? AND stage = 'in'
        """, String?.self, String?.self, UUID.self, Int.self)
}
