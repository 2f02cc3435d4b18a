import Database
import FoundationEssentials

/// Sends a request to an account's server with the token that the account holds.
typealias KeyQuestion = @Sendable (DialectRequest) async throws -> ClientResponse

extension AccountStore {
    /// How long a key may still be made after nobody waits for the answer any more; the server may queue that long.
    private static let patience: TimeInterval = 300

    /// Revokes the keys that were left over on an account's server, and takes over the id of the key that it holds.
    ///
    /// The caller holds the account's lock. What could not be revoked stays noted, for a later start.
    ///
    /// - Returns: Why something could not be revoked; nil when nothing is left.
    func revokeOrphanedKeys(
        of id: UUID, _ dialect: any KeyDialect, at server: ServerAddress, _ ask: KeyQuestion
    ) async throws -> LatchError? {
        var notes = try await leftovers(of: id)
        guard !notes.isEmpty, let owner = try await keyOwner(of: id) else { return nil }
        // A sign-in that is at work has noted the name of its key too, and that one is not left over.
        let lock = try locks.lockIfFree(named: owner.lockName)
        defer { lock?.release() }
        if lock == nil { notes.removeAll { $0.mark.isName } }
        let stored = try await LatchError.telling { try await secrets.read(Self.tokenKey(id)) }
        let held = stored.map { SessionTokens(stored: $0) }?.keyID
        if let held, try await keyID(of: id) != held {
            try await change { _ = try $0.run(Self.takeKeyID, held, id) }
        }
        var failure: LatchError?
        for note in notes {
            do {
                try await revoke(note, of: id, besides: held, dialect, server, ask)
            } catch is Stopping {
                throw Stopping()
            } catch {
                let error = LatchError(error, asking: server)
                failure = error
                // A server that does not answer is waited for once, not once for each key.
                guard Self.answers.contains(error.code) else { break }
            }
        }
        return failure
    }

    /// What tells that a server has answered.
    private static let answers: Set<LatchError.Code> = [.serverRefused, .serverError, .rateLimited, .foreignAnswer]

    /// What a test's crash throws passes as it is.
    private struct Stopping: Error {}

    private func revoke(
        _ note: OrphanedKey, of id: UUID, besides held: String?, _ dialect: any KeyDialect, _ server: ServerAddress,
        _ ask: KeyQuestion
    ) async throws {
        var ids: [String] = []
        switch note.mark {
        case .id(let key): ids = [key]
        case .name(let name):
            let keys = try dialect.keys(from: try await ask(dialect.keyList), of: server)
            ids = keys.filter(KeyName(noted: name).isName).map(\.id)
            guard !ids.isEmpty || now().timeIntervalSince(note.noted) > Self.patience else { return }
        }
        for key in ids where key != held {
            try await end(key, dialect, server, ask)
            do { try hook.after(.leftoverRevoked) } catch { throw Stopping() }
        }
        try await forget(note.mark, of: id)
    }

    private func end(
        _ key: String, _ dialect: any KeyDialect, _ server: ServerAddress, _ ask: KeyQuestion
    ) async throws {
        let request = dialect.revokeKey(key)
        if let error = dialect.revocationError(try await ask(request), to: request, at: server) { throw error }
    }

    /// Notes the key that replaced another one in the secret store; it is not looked for by its name any more.
    ///
    /// The caller holds the account's lock and has written the key.
    func noteRotation(_ id: UUID, of generation: Int, to grant: Grant, named name: KeyName) async throws -> Bool {
        let scopes = grant.scopes.map(AccountSchema.text)
        return try await change { connection in
            guard try connection.run(Self.rotate, grant.keyID, scopes, id, generation) == 1 else { return false }
            _ = try connection.run(Self.forgetLeftover, name.text, id)
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
