import FoundationEssentials

/// The result of a key rotation. The account uses the new key.
public struct KeyRotation: Sendable {
    /// The id of the new key.
    public let keyID: String
    /// The scopes of the new key.
    public let scopes: [String]
    /// The id of the old key.
    public let oldKeyID: String
    /// Why the old key could not be revoked yet. The next start tries again. Nil when it is revoked.
    public let failure: LatchError?
}

extension Session {
    /// Returns the person's API keys on the server. The account's own key is marked as current.
    ///
    /// - Throws: ``LatchError/Code/noKeys`` when the server issues no keys, and the errors of
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: RM-8.
    public func keys() async throws -> [RemoteKey] {
        let dialect = try keyDialect()
        let (response, _) = try await perform(dialect.keyList)
        if case .failing = dialect.authenticationOutcome(of: response, to: dialect.keyList.path, at: server) {
            throw failing(response)
        }
        let own = try await accounts.keyID(of: accountID)
        let keys = try dialect.keys(from: response, of: server).map { key in
            var key = key
            key.isCurrent = key.id == own
            return key
        }
        // The server decides the scopes of a key. They may differ from the requested ones.
        if let current = keys.first(where: \.isCurrent), !current.scopes.isEmpty {
            try await accounts.updateAccount(accountID, AccountUpdate(scopes: current.scopes))
        }
        return keys
    }

    /// Revokes one of the person's API keys. A key that does not exist any more is not an error. Revoking the account's
    /// own key ends the session.
    ///
    /// - Throws: ``LatchError/Code/noKeys``, ``LatchError/Code/serverRefused`` and the errors of
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: RM-8.
    public func revokeKey(_ id: String) async throws {
        let dialect = try keyDialect()
        try await accounts.log.timing(.keyRevocation, at: server) { try await revoke(id, dialect) }
    }

    private func revoke(_ id: String, _ dialect: any KeyDialect) async throws {
        let isOwn = try await accounts.keyID(of: accountID) == id
        let request = dialect.revokeKey(id)
        let (response, token) = try await perform(request)
        if case .failing = dialect.authenticationOutcome(of: response, to: request.path, at: server) {
            throw failing(response)
        }
        if let why = dialect.revocationFailure(response, at: server) { throw LatchError(.serverRefused, why) }
        guard isOwn else { return }
        let lock = try await LatchError.converting { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        let sentence = "its key was revoked on this device"
        _ = try await accounts.end(accountID, of: token.generation, because: sentence)
        accounts.log.record(.ended, at: server, outcome: "key_revoked")
        held = nil
        if machine.ended(sentence, in: token.epoch) { publish() }
    }

    /// Replaces the account's API key: creates a new key, tries it, stores it instead of the old one, and revokes the
    /// old one.
    ///
    /// The old key is kept until the new one has worked and is stored. Once begun, the rotation is completed even when
    /// the caller is cancelled. After a crash at any step the account has one key that works, and the next start
    /// revokes the other.
    ///
    /// - Returns: The ids of both keys, and whether the old one is revoked.
    /// - Throws: ``LatchError/Code/noKeys``, ``LatchError/Code/keyUnknown`` when the id of the old key is not known,
    ///   and the error that prevented the server from creating a key that works. The account then still has the old
    ///   key.
    ///
    /// Source: RM-8; docs/protocols/relate-mail.md, Rotating a key.
    public func rotateKey() async throws -> KeyRotation {
        let dialect = try keyDialect()
        let lock = try await LatchError.converting { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        return try await Task {
            try await accounts.log.timing(.keyRotation, at: server, outcome: { $0.failure?.code.rawValue ?? "ok" }) {
                try await rotate(dialect)
            }
        }.value
    }

    private func rotate(_ dialect: any KeyDialect) async throws -> KeyRotation {
        guard leaving == nil, let record = try await accounts.record(accountID), record.stage == .in,
            let account = try await accounts.account(accountID)
        else { throw try await recordEnd() }
        let token = try await self.token(of: record, holdingLock: true)
        let (old, scopes) = try await ownKey(of: account, with: token, dialect: dialect)
        let name = KeyName(device)
        try await accounts.record([.id(old), .name(name.text)], of: accountID)
        try accounts.hook.after(.rotationRecorded)
        let grant: Grant
        do {
            grant = try await newKey(named: name, scopes: scopes, with: token, dialect: dialect)
            try await storeRotatedKey(grant, named: name, after: token)
        } catch {
            // When a test simulates a crash, nothing is cleaned up.
            if (try? accounts.hook.after(.rotationRecorded)) != nil { _ = await revokeOrphanedKeys(dialect) }
            throw error
        }
        let failure = await revokeOrphanedKeys(dialect)
        return KeyRotation(
            keyID: grant.keyID ?? "", scopes: grant.scopes ?? scopes, oldKeyID: old, failure: failure)
    }

    /// Returns the id and scopes of the old key. Both must be known before a new key is created, because the old key is
    /// to be revoked and the new one must not have more scopes.
    private func ownKey(
        of account: Account, with token: CachedToken, dialect: any KeyDialect
    ) async throws -> (id: String, scopes: [String]) {
        let stored = try await LatchError.converting {
            try await accounts.secrets.read(AccountStore.tokenKey(accountID))
        }
        let id = stored.map { SessionTokens(stored: $0) }?.keyID ?? account.apiKeyID
        if let id, !account.scopes.isEmpty { return (id, account.scopes) }
        let ask: RequestSender = { try await self.exchange($0, token.token) }
        if let id {
            let keys = try dialect.keys(from: try await ask(dialect.keyList), of: server)
            let scopes = keys.first { $0.id == id }?.scopes ?? []
            return (id, scopes.isEmpty ? dialect.leastScopes : scopes)
        }
        if let own = try await CurrentKey(dialect: dialect, server: server, ask: ask).find() {
            return (own.id, own.scopes.isEmpty ? dialect.leastScopes : own.scopes)
        }
        throw LatchError(
            .keyUnknown,
            "It is not known which of your keys at \(server) this account uses, so it could not be revoked afterwards. "
                + "Sign in with a new key, and revoke the old one at the server.")
    }

    /// Creates a key and checks that it works.
    private func newKey(
        named name: KeyName, scopes: [String], with token: CachedToken, dialect: any KeyDialect
    ) async throws -> Grant {
        let response = try await exchange(dialect.makeKey(name: name.text, scopes: scopes), token.token)
        let grant = try dialect.key(from: response, of: server)
        try accounts.hook.after(.rotatedKeyMade)
        let first = try await exchange(dialect.identity, grant.token)
        guard dialect.identity(from: first) != nil else {
            throw LatchError(
                .serverRefused,
                "\(server) created a new key that does not work (\(InterceptedResponse.summary(first))). "
                    + "The old key is still in use.")
        }
        try accounts.hook.after(.rotatedKeyTried)
        return grant
    }

    /// Stores the new key and its id in one entry of the secret store, then updates the record. Until then no program
    /// relies on the new key.
    private func storeRotatedKey(_ grant: Grant, named name: KeyName, after token: CachedToken) async throws {
        let tokens = SessionTokens(grant)
        try await LatchError.converting {
            try await accounts.secrets.write(tokens.stored, for: AccountStore.tokenKey(accountID))
        }
        try accounts.hook.after(.rotatedKeyWritten)
        guard try await accounts.recordRotation(accountID, of: token.generation, to: grant, named: name) else {
            throw try await recordEnd()
        }
        held = nil
        try accounts.hook.after(.rotatedKeyKept)
    }

    /// Revokes the keys that the account does not use. Returns why one could not be revoked, or nil. The caller holds
    /// the account's lock.
    private func revokeOrphanedKeys(_ dialect: any KeyDialect) async -> LatchError? {
        do {
            let stored = try await LatchError.converting {
                try await accounts.secrets.read(AccountStore.tokenKey(accountID))
            }
            guard let stored else { return nil }
            let key = SessionTokens(stored: stored).access
            return try await accounts.revokeOrphanedKeys(of: accountID, dialect: dialect, at: server) { request in
                try await self.exchange(request, key, timeout: accounts.revocationTimeout)
            }
        } catch {
            return LatchError(error, asking: server)
        }
    }

    private func keyDialect() throws(LatchError) -> any KeyDialect {
        if let dialect = dialect as? any KeyDialect { return dialect }
        throw LatchError(.noKeys, "\(server) speaks \(dialect.title), which issues no keys.")
    }
}
