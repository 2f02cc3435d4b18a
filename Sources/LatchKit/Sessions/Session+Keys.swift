import FoundationEssentials

/// What came of a rotation: the account holds the new key.
public struct KeyRotation: Sendable {
    /// The new key's id.
    public let keyID: String
    /// What the new key may do.
    public let scopes: [String]
    /// The id of the key before.
    public let oldKeyID: String
    /// Why the key before could not be revoked yet; the next start tries again. Nil when it is revoked.
    public let failure: LatchError?
}

extension Session {
    /// The person's keys on the server, the account's own marked.
    ///
    /// - Throws: ``LatchError/Code/noKeys`` where the server gives none; as ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: RM-8.
    public func keys() async throws -> [RemoteKey] {
        let dialect = try keyDialect()
        let (answer, _) = try await perform(dialect.keyList)
        if case .failing = dialect.authenticationOutcome(of: answer, to: dialect.keyList.path, at: server) {
            throw failing(answer)
        }
        let own = try await accounts.keyID(of: accountID)
        let keys = try dialect.keys(from: answer, of: server).map { key in
            var key = key
            key.isCurrent = key.id == own
            return key
        }
        // What a key may do is the server's word, whatever was asked for.
        if let current = keys.first(where: \.isCurrent), !current.scopes.isEmpty {
            try await accounts.updateAccount(accountID, AccountUpdate(scopes: current.scopes))
        }
        return keys
    }

    /// Revokes one of the person's keys; one that is gone already is fine. Was it the account's own, the session has ended.
    ///
    /// - Throws: ``LatchError/Code/noKeys``; ``LatchError/Code/serverRefused``; as
    ///   ``AuthorizedClient/send(_:_:headers:body:)``.
    ///
    /// Source: RM-8.
    public func revokeKey(_ id: String) async throws {
        let dialect = try keyDialect()
        try await accounts.log.timing(.keyRevocation, server) { try await revoke(id, dialect) }
    }

    private func revoke(_ id: String, _ dialect: any KeyDialect) async throws {
        let isOwn = try await accounts.keyID(of: accountID) == id
        let request = dialect.revokeKey(id)
        let (answer, token) = try await perform(request)
        if case .failing = dialect.authenticationOutcome(of: answer, to: request.path, at: server) {
            throw failing(answer)
        }
        if let why = dialect.revocationFailure(answer, at: server) { throw LatchError(.serverRefused, why) }
        guard isOwn else { return }
        let lock = try await LatchError.telling { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        let sentence = "its key was revoked on this device"
        _ = try await accounts.end(accountID, of: token.generation, because: sentence)
        accounts.log.note(.ended, server, "key_revoked")
        held = nil
        if machine.ended(sentence, in: token.epoch) { publish() }
    }

    /// Replaces the account's key: makes a new one, tries it, keeps it in the old one's place, and revokes the old one.
    ///
    /// Until the new key has worked and is kept, the old one stays. Once begun it runs to its end, also when the caller is
    /// cancelled. A crash after any step leaves one key here that works, and the next start revokes the other.
    ///
    /// - Returns: The new key's id and whether the old one is revoked.
    /// - Throws: ``LatchError/Code/noKeys``, ``LatchError/Code/keyUnknown`` when the old key's id is not known, and whatever
    ///   kept the server from making a key that works; the old key is then still the account's.
    ///
    /// Source: RM-8; contract of Relate Mail, rule 16.
    public func rotateKey() async throws -> KeyRotation {
        let dialect = try keyDialect()
        let lock = try await LatchError.telling { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        return try await Task {
            try await accounts.log.timing(.keyRotation, server, outcome: { $0.failure?.code.rawValue ?? "ok" }) {
                try await rotate(dialect)
            }
        }.value
    }

    private func rotate(_ dialect: any KeyDialect) async throws -> KeyRotation {
        guard leaving == nil, let record = try await accounts.record(accountID), record.stage == .in,
            let account = try await accounts.account(accountID)
        else { throw try await noteEnd() }
        let token = try await self.token(of: record, holdingLock: true)
        let (old, scopes) = try await ownKey(account, token, dialect)
        let name = KeyName(device)
        try await accounts.note([.id(old), .name(name.text)], of: accountID)
        try accounts.hook.after(.rotationNoted)
        let grant: Grant
        do {
            grant = try await newKey(named: name, scopes, token, dialect)
            try await keepRotated(grant, named: name, after: token)
        } catch {
            // Where a crash stands in a test, nothing is tidied up.
            if (try? accounts.hook.after(.rotationNoted)) != nil { _ = await revokeOrphanedKeys(dialect) }
            throw error
        }
        let failure = await revokeOrphanedKeys(dialect)
        return KeyRotation(
            keyID: grant.keyID ?? "", scopes: grant.scopes ?? scopes, oldKeyID: old, failure: failure)
    }

    /// The key that is to go and what it may do: both must be known before another is made that may not do more.
    private func ownKey(
        _ account: Account, _ token: HeldToken, _ dialect: any KeyDialect
    ) async throws -> (id: String, scopes: [String]) {
        let stored = try await LatchError.telling { try await accounts.secrets.read(AccountStore.tokenKey(accountID)) }
        let id = stored.map { SessionTokens(stored: $0) }?.keyID ?? account.apiKeyID
        if let id, !account.scopes.isEmpty { return (id, account.scopes) }
        let ask: KeyQuestion = { try await self.exchange($0, token.token) }
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
            "Which of your keys at \(server) this account holds is not known, so it could not be revoked afterwards. "
                + "Sign in with a new key, and revoke the old one at the server.")
    }

    /// A key that has worked.
    private func newKey(
        named name: KeyName, _ scopes: [String], _ token: HeldToken, _ dialect: any KeyDialect
    ) async throws -> Grant {
        let answer = try await exchange(dialect.makeKey(name: name.text, scopes: scopes), token.token)
        let grant = try dialect.key(from: answer, of: server)
        try accounts.hook.after(.rotatedKeyMade)
        let first = try await exchange(dialect.identity, grant.token)
        guard dialect.identity(from: first) != nil else {
            throw LatchError(
                .serverRefused,
                "\(server) made a new key that does not work (\(InterceptedResponse.sketch(first))). The old one is still yours."
            )
        }
        try accounts.hook.after(.rotatedKeyTried)
        return grant
    }

    /// Key and id first, in one entry, then the record: until the record says so, nobody counts on the new one.
    private func keepRotated(_ grant: Grant, named name: KeyName, after token: HeldToken) async throws {
        let tokens = SessionTokens(grant)
        try await LatchError.telling {
            try await accounts.secrets.write(tokens.stored, for: AccountStore.tokenKey(accountID))
        }
        try accounts.hook.after(.rotatedKeyWritten)
        guard try await accounts.noteRotation(accountID, of: token.generation, to: grant, named: name) else {
            throw try await noteEnd()
        }
        held = nil
        try accounts.hook.after(.rotatedKeyKept)
    }

    /// Revokes what the account does not hold; the caller holds the account's lock.
    private func revokeOrphanedKeys(_ dialect: any KeyDialect) async -> LatchError? {
        do {
            let stored = try await LatchError.telling {
                try await accounts.secrets.read(AccountStore.tokenKey(accountID))
            }
            guard let stored else { return nil }
            let key = SessionTokens(stored: stored).access
            return try await accounts.revokeOrphanedKeys(of: accountID, dialect, at: server) { request in
                try await self.exchange(request, key, timeout: accounts.revocationTimeout)
            }
        } catch {
            return LatchError(error, asking: server)
        }
    }

    private func keyDialect() throws(LatchError) -> any KeyDialect {
        if let dialect = dialect as? any KeyDialect { return dialect }
        throw LatchError(.noKeys, "\(server) speaks \(dialect.title) and gives no keys.")
    }
}
