import Crypto
public import FoundationEssentials
import HTTPClient

extension Session {
    /// Returns whether the server itself rejects the token. For that, the server must identify itself in its response
    /// to ``Dialect/probe`` and reject the token in its response to ``Dialect/identity``.
    ///
    /// A rejection that any program could have sent is not enough to end a session.
    func isConfirmed(_ token: Secret, until end: ContinuousClock.Instant? = nil) async throws -> Bool {
        // Both requests share this deadline, because the caller holds the account's lock meanwhile.
        let end = end ?? .now + .seconds(20)
        guard case .server = dialect.match(try await ask(dialect.probe, nil, until: end)) else {
            return false
        }
        let identity = dialect.identity
        let response = try await ask(identity, token, until: end)
        if case .rejected = dialect.authenticationOutcome(of: response, to: identity.path, at: identity.base ?? server)
        {
            return true
        }
        return false
    }

    /// Sends a request with a deadline for the response.
    private func ask(
        _ request: DialectRequest, _ token: Secret?, until end: ContinuousClock.Instant
    ) async throws -> ClientResponse {
        try await exchange(request, token, timeout: end.timeLeft(toAsk: request.base ?? server))
    }

    /// Ends the session after the server has ended it. The caller holds the account's lock.
    ///
    /// - Throws: ``LatchError/Code/sessionEnded``, or ``LatchError/Code/signedOut`` when the session has already been
    ///   replaced. The method never returns.
    func end(_ token: CachedToken, because rejection: Rejection, in epoch: Int) async throws -> Renewal {
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        do {
            _ = try await accounts.end(accountID, of: token.generation, because: rejection.sentence)
        } catch let error as LatchError where error.code.concernsSecretStore {
            // The row says that the token is to be removed. The next start removes it.
        }
        accounts.log.record(.ended, at: server, outcome: LogEntry.word(rejection.reason))
        held = nil
        let error = signedOutError(.ended(rejection.sentence))
        if machine.ended(rejection.sentence, in: epoch) { publish() }
        throw error
    }

    /// Handles the rejection of a token that was just renewed: ends the session if the server confirms it.
    ///
    /// - Returns: Normally when the session is still valid. The rejection then concerns only the request.
    /// - Throws: ``LatchError/Code/sessionEnded``.
    func refusedAgain(_ token: CachedToken, _ rejection: Rejection) async throws {
        let lock = try await LatchError.converting { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        guard let record = try await accounts.record(accountID), record.stage == .in else {
            throw try await recordEnd()
        }
        // If there is a newer token, the rejection says nothing about the session.
        guard record.generation == token.generation, token.epoch == machine.epoch else { return }
        // The rejection may concern something else, because the server has only just renewed this session.
        guard try await isConfirmed(token.token) else { return }
        _ = try await end(token, because: rejection, in: token.epoch)
    }
}

/// The result of signing out.
public struct SignOutReport: Sendable {
    /// Whether the session has ended on the server too.
    public let isRevoked: Bool
    /// Why the session has not ended on the server. It ends there when it expires or is ended at the server. Nil when
    /// it has ended.
    public let failure: LatchError?
    /// Until when the server accepts the token, unless the session is ended there before. Nil when this is not known or
    /// the session has ended.
    public internal(set) var tokenExpires: Date?

    init(isRevoked: Bool, failure: LatchError?) {
        (self.isRevoked, self.failure) = (isRevoked, failure)
    }
}

extension Session {
    /// The default timeout for the server when signing out.
    static let revocationBound = Duration.seconds(7)

    /// Signs out. Ends the session on the server if it responds, and always removes the token, the connection's secrets
    /// and the account from this device.
    ///
    /// Once begun, it is completed even when the caller is cancelled. After a crash the account stays hidden, and the
    /// next start removes the rest.
    ///
    /// - Parameter onStep: Called after each step, in the order of ``SignOutProgress``.
    /// - Returns: Whether the session has ended on the server, and if not, why.
    /// - Throws: ``LatchError/Code/pinRequired`` while the device is locked, unless the session has ended already:
    ///   nothing is changed then. A code of the secret store when the token could not be removed; the account is no longer in the list
    ///   then. A code of the storage when the account could not be removed; the token and the session are removed then.
    ///
    /// Source: OX-13, TT-12, IM-11.
    @discardableResult
    public func signOut(
        onStep: @escaping @Sendable (SignOutProgress) -> Void = { _ in }
    ) async throws -> SignOutReport {
        if leaving == nil { try await requireUnlocked() }
        if let leaving { return try await leaving.value }
        let token = held
        // Before the first suspension, so that no other call gets the token from now on.
        _ = machine.requestSignOut()
        publish()
        held = nil
        let task = Task {
            try await accounts.log.timing(.signOut, at: server, outcome: { $0.failure?.code.rawValue ?? "ok" }) {
                try await removeLocally(with: token, onStep)
            }
        }
        leaving = task
        do {
            return try await task.value
        } catch {
            // A further call tries again.
            leaving = nil
            throw error
        }
    }

    /// Throws while the device is locked, because a sign-out uses the token of a session.
    private func requireUnlocked() async throws {
        do {
            guard try await accounts.record(accountID)?.stage == .in else { return }
        } catch {
            // An account that cannot be read may be signed in.
        }
        do {
            try await LatchError.converting { try accounts.vault.requireUnlocked() }
        } catch {
            held = nil
            throw error
        }
    }

    private func removeLocally(
        with token: CachedToken?, _ onStep: @Sendable (SignOutProgress) -> Void
    ) async throws -> SignOutReport {
        do {
            let report = try await revokeAndRemove(token, onStep)
            await stopBackgroundWork(onStep)
            return report
        } catch {
            await stopBackgroundWork(onStep)
            throw error
        }
    }

    /// Stops all work of a session that has ended.
    private func stopBackgroundWork(_ onStep: @Sendable (SignOutProgress) -> Void) async {
        await closeTransport()
        onStep(.backgroundStopped)
        syncing?.cancel()
        _ = await syncing?.value
        syncing = nil
        onStep(.syncCancelled)
        machine.signedOut()
        publish()
        onStep(.signedOut)
    }

    private func revokeAndRemove(
        _ token: CachedToken?, _ onStep: @Sendable (SignOutProgress) -> Void
    ) async throws -> SignOutReport {
        // All requests to the server share one deadline.
        let end = ContinuousClock.now + accounts.revocationTimeout
        // Before the lock is taken, because the renewal holds it.
        await endRenewal(until: end)
        // Signing out continues even if the disk is so full or damaged that nothing can be locked or recorded.
        let lock = try? await accounts.locks.lock(accountID)
        defer { lock?.release() }
        let wasSignedIn: Bool
        var expires: Date?
        do {
            let record = try await accounts.record(accountID)
            (wasSignedIn, expires) = (record?.stage == .in, record?.expires)
        } catch {
            wasSignedIn = true
        }
        var secret = token?.token
        var access = secret
        var keyID = (try? await accounts.keyID(of: accountID)) ?? nil
        // Another program may have renewed the token, so the store may have a newer one than the memory.
        if wasSignedIn, let stored = try? await accounts.secrets.read(AccountStore.tokenKey(accountID)) {
            let tokens = SessionTokens(stored: stored)
            proofs.use(tokens.proofKey)
            (secret, access) = (tokens.lasting, tokens.access)
            keyID = tokens.keyID ?? keyID
            // The expiry date is that of the access token. This is the refresh token, which is valid for longer.
            if tokens.refresh != nil { expires = nil }
        }
        // This also opens the connection while its secrets still exist.
        _ = try? await openTransport(for: access)
        var recordError: LatchError?
        do {
            // Before the server is asked: after a crash, the next start ends the session there and removes the rest.
            try await accounts.beginRemoval(accountID)
        } catch let error as LatchError {
            recordError = error
        }
        var report =
            wasSignedIn ? await revoke(secret, keyID, until: end) : SignOutReport(isRevoked: true, failure: nil)
        if !report.isRevoked { report.tokenExpires = expires }
        onStep(.serverNotified(isRevoked: report.isRevoked))
        if let recordError {
            try await accounts.removeSecrets(accountID)
            onStep(.tokenRemoved)
            throw recordError
        }
        // Before the row is deleted, because server and person of the record are read from it.
        await recordKey(keyID, unless: report)
        do {
            try await accounts.finishRemoval(accountID) {
                onStep(.tokenRemoved)
            }
        } catch let error as LatchError where error.code.concernsSecretStore {
            throw tokenNotRemoved(error, report)
        }
        onStep(.accountRemoved)
        return report
    }

    /// Waits for a renewal in progress, because the server may have replaced the token. Then only the new token can be
    /// revoked.
    private func endRenewal(until end: ContinuousClock.Instant) async {
        guard let renewalTask else { return }
        let bound = Task {
            do { try await Task.sleep(until: end) } catch { return }
            renewalTask.cancel()
        }
        await renewalTask.value
        bound.cancel()
    }

    /// Returns the error when the token could not be removed from the secret store. Its message says what was done and
    /// what the next start does.
    private func tokenNotRemoved(_ error: LatchError, _ report: SignOutReport) -> LatchError {
        let server = dialect.identity.base ?? server
        let outcome =
            report.isRevoked
            ? "the session at \(server) has ended" : "the session at \(server) has not ended"
        let next = report.isRevoked ? "removes it" : "ends the session there and removes the token"
        return LatchError(
            error.code,
            "The account was removed from this device and \(outcome), but its token could not be removed from the "
                + "secret store. \(error.message) After that, the next start of this program \(next).", cause: error)
    }

    /// Notes a key that could not be revoked. Keys do not expire, so the person's next sign-in there tries again.
    private func recordKey(_ id: String?, unless report: SignOutReport) async {
        guard !report.isRevoked, let id, dialect is any KeyDialect else { return }
        try? await accounts.record([.id(id)], of: accountID)
    }

    /// Checks that the server no longer accepts the token, after it responded that the session has ended.
    ///
    /// - Throws: ``LatchError/Code/serverRefused`` when it still accepts the token.
    private func checkEnd(_ token: Secret, until end: ContinuousClock.Instant) async throws {
        let response = try await ask(dialect.identity, token, until: end)
        guard
            case .authenticated = dialect.authenticationOutcome(
                of: response, to: dialect.identity.path, at: dialect.identity.base ?? server),
            dialect.identity(from: response) != nil
        else { return }
        throw LatchError(
            .serverRefused,
            "\(dialect.identity.base ?? server) still accepts the token until it expires.")
    }

    private func revoke(
        _ token: Secret?, _ keyID: String?, until end: ContinuousClock.Instant
    ) async -> SignOutReport {
        guard let token else {
            return SignOutReport(
                isRevoked: false,
                failure: LatchError(
                    .secretStoreFailed, "The token could not be read, so the session was not ended on the server."))
        }
        // Before the token itself is revoked, because these requests need it.
        let failure = await revokeOrphanedKeys(with: token, until: end)
        guard let request = dialect.signOut(keyID: keyID) else {
            return SignOutReport(
                isRevoked: false,
                failure: dialect is any KeyDialect
                    ? LatchError(
                        .keyUnknown,
                        "The id of the key is not known, so the key was not revoked and still works. Revoke it at "
                            + "\(server).")
                    : LatchError(
                        .notOffered,
                        "\(dialect.identity.base ?? server) cannot end a session for a program. It accepts the tokens "
                            + "until they expire."))
        }
        do {
            let response = try await ask(request, token, until: end)
            if case .rejected(let refusal) = dialect.authenticationOutcome(
                of: response, to: request.path, at: request.base ?? server)
            {
                try await checkRefusal(refusal, of: token, until: end)
                return SignOutReport(isRevoked: failure == nil, failure: failure)
            }
            if let error = dialect.revocationError(response, to: request, at: server) { throw error }
            if !dialect.trustsSignOutResponse { try await checkEnd(token, until: end) }
            return SignOutReport(isRevoked: failure == nil, failure: failure)
        } catch {
            return SignOutReport(isRevoked: false, failure: LatchError(error, asking: server))
        }
    }

    /// Throws unless a rejection proves that the session has ended. A rejection that any proxy could have sent must be
    /// confirmed. Keys do not expire, so for a key only an unmistakable rejection counts.
    private func checkRefusal(
        _ refusal: Rejection, of token: Secret, until end: ContinuousClock.Instant
    ) async throws {
        guard !refusal.isConclusive else { return }
        guard try await isConfirmed(token, until: end) else { throw unconfirmed(then: "") }
        guard dialect is any KeyDialect else { return }
        throw LatchError(
            .serverRefused,
            "\(server) refuses the key, but does not confirm that it was revoked. The next sign-in there revokes it.")
    }

    /// Revokes other keys of the account that a crash orphaned. Returns why a key could not be revoked, or nil.
    private func revokeOrphanedKeys(with token: Secret, until end: ContinuousClock.Instant) async -> LatchError? {
        guard let dialect = dialect as? any KeyDialect else { return nil }
        do {
            return try await accounts.revokeOrphanedKeys(of: accountID, dialect: dialect, at: server) { request in
                try await self.ask(request, token, until: end)
            }
        } catch {
            return LatchError(error, asking: server)
        }
    }
}

extension ContinuousClock.Instant {
    /// Returns the time left until this instant.
    ///
    /// - Throws: ``LatchError/Code/timedOut`` when it has passed.
    func timeLeft(toAsk server: ServerAddress) throws(LatchError) -> Duration {
        let left = ContinuousClock.now.duration(to: self)
        guard left > .zero else { throw LatchError(.timedOut, "The timeout expired before \(server) could be asked.") }
        return left
    }
}
