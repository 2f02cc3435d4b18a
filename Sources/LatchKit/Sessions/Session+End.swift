public import FoundationEssentials

extension Session {
    /// Whether the server itself refuses the token: it says what it is at its address, and refuses at its own question
    /// of who is signed in.
    ///
    /// A refusal that any program could have said is not enough to end a session.
    func isConfirmed(_ token: Secret, until end: ContinuousClock.Instant? = nil) async throws -> Bool {
        let end = end ?? .now + .seconds(20)
        guard case .server = dialect.match(try await ask(dialect.probe, nil, until: end)) else {
            return false
        }
        let identity = dialect.identity
        let answer = try await ask(identity, token, until: end)
        if case .rejected = dialect.authenticationOutcome(of: answer, to: identity.path, at: identity.base ?? server) {
            return true
        }
        return false
    }

    /// Sends a request whose answer is waited for until a time.
    private func ask(
        _ request: DialectRequest, _ token: Secret?, until end: ContinuousClock.Instant
    ) async throws -> ClientResponse {
        try await exchange(request, token, timeout: end.timeLeft(toAsk: request.base ?? server))
    }

    /// Ends the session that the server has ended; the caller holds the account's lock.
    ///
    /// - Throws: ``LatchError/Code/sessionEnded``, always, unless the session was another one already.
    func end(_ token: HeldToken, _ rejection: Rejection, _ epoch: Int) async throws -> Renewal {
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        do {
            _ = try await accounts.end(accountID, of: token.generation, because: rejection.sentence)
        } catch let error as LatchError where error.code.isOfSecretStore {
            // The row says that the token goes; the next start takes it away.
        }
        accounts.log.note(.ended, server, LogEntry.word(rejection.reason))
        held = nil
        let error = signedOutError(.ended(rejection.sentence))
        if machine.ended(rejection.sentence, in: epoch) { publish() }
        throw error
    }

    /// A renewed token was refused again: ends the session if the server confirms it.
    ///
    /// - Returns: When the session stands, so that the answer is about the request alone.
    /// - Throws: ``LatchError/Code/sessionEnded``.
    func refusedAgain(_ token: HeldToken, _ rejection: Rejection) async throws {
        let lock = try await LatchError.telling { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        guard let record = try await accounts.record(accountID), record.stage == .in else { throw try await noteEnd() }
        guard record.generation == token.generation, token.epoch == machine.epoch else { return }
        // Its word may be about something else: the server has only just renewed this very session.
        guard try await isConfirmed(token.token) else { return }
        _ = try await end(token, rejection, token.epoch)
    }
}

/// What came of signing out.
public struct SignOutReport: Sendable {
    /// Whether the server has ended the session too.
    public let isRevoked: Bool
    /// Why it has not: the session there ends when its time runs out, or when it is ended at the server.
    public let failure: LatchError?
    /// Until when the server accepts the token unless it ends the session before; nil where that is not known, or the session
    /// has ended.
    public internal(set) var goodUntil: Date?

    init(isRevoked: Bool, failure: LatchError?) {
        (self.isRevoked, self.failure) = (isRevoked, failure)
    }
}

extension Session {
    /// The longest that signing out waits for the server, where a program does not say.
    static let revocationBound = Duration.seconds(7)

    /// Signs out: ends the session on the server as far as it answers, then removes token, connection secrets and
    /// account from this device, always.
    ///
    /// Once begun it runs to its end, also when the caller is cancelled. A crash on the way leaves the account hidden,
    /// and the next start removes the rest.
    ///
    /// - Parameter onStep: Told of each step, in the order of ``SignOutProgress``.
    /// - Returns: Whether the server was reached.
    /// - Throws: A code of the secret store when that kept the token; the account is gone from the list all the same. A
    ///   code of the storage when that kept the account; the token is gone all the same, and with it the session.
    ///
    /// Source: OX-13, TT-12, IM-11.
    @discardableResult
    public func signOut(
        onStep: @escaping @Sendable (SignOutProgress) -> Void = { _ in }
    ) async throws -> SignOutReport {
        if let leaving { return try await leaving.value }
        let token = held
        _ = machine.wantsSignOut()
        publish()
        held = nil
        let task = Task {
            try await accounts.log.timing(.signOut, server, outcome: { $0.failure?.code.rawValue ?? "ok" }) {
                try await leave(with: token, onStep)
            }
        }
        leaving = task
        do {
            return try await task.value
        } catch {
            // Asked again, it tries again.
            leaving = nil
            throw error
        }
    }

    private func leave(
        with token: HeldToken?, _ onStep: @Sendable (SignOutProgress) -> Void
    ) async throws -> SignOutReport {
        do {
            let report = try await forget(token, onStep)
            await stopEverything(onStep)
            return report
        } catch {
            await stopEverything(onStep)
            throw error
        }
    }

    /// Nothing of a session that has ended may run on.
    private func stopEverything(_ onStep: @Sendable (SignOutProgress) -> Void) async {
        await transport?.client.close()
        transport = nil
        onStep(.backgroundStopped)
        syncing?.cancel()
        _ = await syncing?.value
        syncing = nil
        onStep(.syncCancelled)
        machine.signedOut()
        publish()
        onStep(.signedOut)
    }

    private func forget(
        _ token: HeldToken?, _ onStep: @Sendable (SignOutProgress) -> Void
    ) async throws -> SignOutReport {
        // All that the server is asked shares one deadline.
        let end = ContinuousClock.now + accounts.revocationTimeout
        await endRenewal(until: end)
        // A disk on which nothing can be locked or noted keeps nobody signed in.
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
        var keyID = (try? await accounts.keyID(of: accountID)) ?? nil
        if wasSignedIn, let stored = try? await accounts.secrets.read(AccountStore.tokenKey(accountID)) {
            let tokens = SessionTokens(stored: stored)
            secret = tokens.lasting
            keyID = tokens.keyID ?? keyID
            // The time is that of the token that requests carry, and this one lives longer.
            if tokens.refresh != nil { expires = nil }
        }
        // Also opens the connection while its secrets are still there.
        _ = try? await openTransport()
        var notNoted: LatchError?
        do {
            try await accounts.beginLeaving(accountID)
        } catch let error as LatchError {
            notNoted = error
        }
        var report =
            wasSignedIn ? await revoke(secret, keyID, until: end) : SignOutReport(isRevoked: true, failure: nil)
        if !report.isRevoked { report.goodUntil = expires }
        onStep(.serverTold(isRevoked: report.isRevoked))
        if let notNoted {
            try await accounts.removeSecrets(accountID)
            onStep(.tokenRemoved)
            throw notNoted
        }
        await noteKey(keyID, unless: report)
        do {
            try await accounts.finishLeaving(accountID) {
                onStep(.tokenRemoved)
            }
        } catch let error as LatchError where error.code.isOfSecretStore {
            throw tokenStays(error, report)
        }
        onStep(.accountRemoved)
        return report
    }

    /// Waits for a renewal in progress. The server may have replaced the token, and then only the new one can be revoked.
    private func endRenewal(until end: ContinuousClock.Instant) async {
        guard let flying else { return }
        let bound = Task {
            do { try await Task.sleep(until: end) } catch { return }
            flying.cancel()
        }
        await flying.value
        bound.cancel()
    }

    /// The error when the token could not be removed from the secret store: what was done, and what the next start does.
    private func tokenStays(_ error: LatchError, _ report: SignOutReport) -> LatchError {
        let server = dialect.identity.base ?? server
        let told =
            report.isRevoked
            ? "the session at \(server) has ended" : "the session at \(server) has not ended"
        let next = report.isRevoked ? "removes it" : "ends the session there and removes the token"
        return LatchError(
            error.code,
            "The account is gone from this device and \(told), but its token could not be removed from the secret store. "
                + "\(error.message) The next start of this program after that \(next).", cause: error)
    }

    /// Notes a key that could not be revoked: a key has no end of its own, so the person's next sign-in there tries again.
    private func noteKey(_ id: String?, unless report: SignOutReport) async {
        guard !report.isRevoked, let id, dialect is any KeyDialect else { return }
        try? await accounts.note([.id(id)], of: accountID)
    }

    /// Looks whether the server still takes a token that it said to have ended.
    private func checkEnd(_ token: Secret, until end: ContinuousClock.Instant) async throws {
        let answer = try await ask(dialect.identity, token, until: end)
        guard
            case .answered = dialect.authenticationOutcome(
                of: answer, to: dialect.identity.path, at: dialect.identity.base ?? server),
            dialect.identity(from: answer) != nil
        else { return }
        throw LatchError(
            .serverRefused,
            "\(dialect.identity.base ?? server) still takes the token: there it is good until its time has run out.")
    }

    private func revoke(
        _ token: Secret?, _ keyID: String?, until end: ContinuousClock.Instant
    ) async -> SignOutReport {
        guard let token else {
            return SignOutReport(
                isRevoked: false,
                failure: LatchError(.secretStoreFailed, "The token could not be read, so the server was not told."))
        }
        let leftover = await revokeOrphanedKeys(with: token, until: end)
        guard let request = dialect.signOut(keyID: keyID) else {
            return SignOutReport(
                isRevoked: false,
                failure: LatchError(
                    .keyUnknown,
                    "The id of the key is not known here, so it still works: revoke it where it was made, at \(server)."
                ))
        }
        do {
            let answer = try await ask(request, token, until: end)
            if case .rejected(let refusal) = dialect.authenticationOutcome(
                of: answer, to: request.path, at: request.base ?? server)
            {
                try await checkRefusal(refusal, of: token, until: end)
                return SignOutReport(isRevoked: leftover == nil, failure: leftover)
            }
            if let error = dialect.revocationError(answer, to: request, at: server) { throw error }
            if !dialect.trustsSignOutResponse { try await checkEnd(token, until: end) }
            return SignOutReport(isRevoked: leftover == nil, failure: leftover)
        } catch {
            return SignOutReport(isRevoked: false, failure: LatchError(error, asking: server))
        }
    }

    /// Throws unless a refusal proves that the session has ended: one that any proxy could have sent must be confirmed. A key has
    /// no end of its own, so for a key only an unmistakable refusal counts.
    private func checkRefusal(
        _ refusal: Rejection, of token: Secret, until end: ContinuousClock.Instant
    ) async throws {
        guard !refusal.isUnmistakable else { return }
        guard try await isConfirmed(token, until: end) else { throw unconfirmed(then: "") }
        guard dialect is any KeyDialect else { return }
        throw LatchError(
            .serverRefused,
            "\(server) refuses the key, but does not say that it was revoked. The next sign-in there makes sure.")
    }

    /// Revokes the account's other keys that a crash left over; why one could not be.
    private func revokeOrphanedKeys(with token: Secret, until end: ContinuousClock.Instant) async -> LatchError? {
        guard let dialect = dialect as? any KeyDialect else { return nil }
        do {
            return try await accounts.revokeOrphanedKeys(of: accountID, dialect, at: server) { request in
                try await self.ask(request, token, until: end)
            }
        } catch {
            return LatchError(error, asking: server)
        }
    }
}

extension ContinuousClock.Instant {
    /// How long it is until this time.
    ///
    /// - Throws: ``LatchError/Code/timedOut`` when it has passed.
    func timeLeft(toAsk server: ServerAddress) throws(LatchError) -> Duration {
        let left = ContinuousClock.now.duration(to: self)
        guard left > .zero else { throw LatchError(.timedOut, "There was no time left to ask \(server).") }
        return left
    }
}
