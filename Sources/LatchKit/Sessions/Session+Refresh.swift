import FoundationEssentials

extension Session {
    /// How many seconds after a failed attempt the next one is due.
    static let pauseAfterFailure: TimeInterval = 60

    /// Gets a newer token than `token`. Callers that need one at the same time share one renewal.
    ///
    /// - Parameters:
    ///   - token: The token that is due or was rejected.
    ///   - rejection: The server's rejection of the token. Nil when the token is only due.
    /// - Returns: A newer token, or the old one and the reason why there is no newer one.
    /// - Throws: ``LatchError`` when there is no session, or it ends.
    func renew(after token: CachedToken, rejection: Rejection?) async throws -> Renewal {
        while true {
            if let held, held.epoch == token.epoch, held.generation > token.generation { return .renewed(held) }
            switch machine.requestRefresh() {
            case .refuse(.signedOut(let reason)): throw signedOutError(reason)
            case .refuse: throw signedOutError(.notSignedIn)
            case .start(let epoch): return try await startRenewal(of: token, rejection: rejection, in: epoch).value()
            case .join:
                guard let sharedRenewal else { throw signedOutError(.notSignedIn) }
                let wasForRejection = isRenewingAfterRejection
                let renewal = try await sharedRenewal.value()
                // A failed renewal of a token that was only due says nothing about a token that was rejected.
                if rejection == nil || wasForRejection || token.epoch != machine.epoch { return renewal }
                if case .renewed(let newer) = renewal, newer.generation > token.generation { return renewal }
            }
        }
    }

    private func startRenewal(
        of token: CachedToken, rejection: Rejection?, in epoch: Int
    ) -> SharedTask<Renewal> {
        // There is no suspension between `requestRefresh` and this line, so every `join` finds the renewal.
        let sharedRenewal = SharedTask<Renewal>()
        self.sharedRenewal = sharedRenewal
        isRenewingAfterRejection = rejection != nil
        // A task of its own: the caller that started it may be cancelled while others wait.
        renewalTask = Task {
            let result: Result<Renewal, any Error>
            do {
                result = .success(try await renewUnderLock(token, rejection: rejection, in: epoch))
            } catch  where error is CancellationError || Task.isCancelled {
                // The callers were not cancelled: the session was signed out or closed. When a secret store is
                // interrupted, it reports that with a separate error.
                result = .failure(
                    epoch == machine.epoch ? Self.closed : signedOutError(.notSignedIn))
            } catch {
                result = .failure(error)
            }
            seen = nil
            // If the result is late, another session may already be renewing its token.
            if machine.refreshEnded(in: epoch) { publish() }
            if self.sharedRenewal === sharedRenewal { self.sharedRenewal = nil }
            sharedRenewal.complete(result)
        }
        return sharedRenewal
    }

    private func renewUnderLock(
        _ token: CachedToken, rejection: Rejection?, in epoch: Int
    ) async throws -> Renewal {
        let lock = try await LatchError.converting { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        // Another program may have renewed the token or signed out while this one waited for the lock.
        guard let record = try await accounts.record(accountID), record.stage == .in else {
            throw try await recordEnd()
        }
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        let known = token.generation
        let isNewer = record.generation > known
        if isNewer { held = nil }
        let present = try await self.token(of: record, holdingLock: true)
        if isNewer { return .renewed(present) }
        // Another program's attempt failed while this one waited for the lock. Its error is the result here too.
        if record.attempts > token.attempts, let failure = record.failure { return .unchanged(present, failure.error) }
        let action: LogEntry.Action = dialect.refresh == nil ? .confirm : .refresh
        return try await accounts.log.timing(
            action, at: (dialect.refresh ?? dialect.identity).base ?? server, outcome: \.word
        ) {
            try await ask(with: present, rejection: rejection, in: epoch)
        }
    }

    private func ask(
        with token: CachedToken, rejection: Rejection?, in epoch: Int
    ) async throws -> Renewal {
        guard let request = dialect.refresh else {
            return try await confirm(rejection ?? Self.unknown, of: token, in: epoch)
        }
        // The store is newer than the memory if a program crashed after writing the token and before the record.
        let stored = try await LatchError.converting {
            try await accounts.secrets.read(AccountStore.tokenKey(accountID))
        }
        var token = token
        let tokens = stored.map(SessionTokens.init(stored:)) ?? SessionTokens(Grant(token: token.token))
        token.token = tokens.access
        proofs.use(tokens.proofKey)
        do {
            // The timeouts while the lock is held must add up to less than other programs wait for it.
            let response = try await exchange(
                request, tokens.lasting, timeout: .seconds(15), checkToken: tokens.access)
            let outcome = dialect.authenticationOutcome(of: response, to: request.path, at: request.base ?? server)
            // A new token is stored even during a sign-out, because it is the one to revoke on the server.
            if epoch != machine.epoch, outcome != .authenticated { throw signedOutError(.notSignedIn) }
            switch outcome {
            case .rejected(let refusal): return try await rejected(token, first: rejection, second: refusal, in: epoch)
            case .intercepted(let why): throw interceptionError(why, for: request.base)
            case .failing: throw failing(response, at: request.base)
            case .authenticated:
                guard let grant = dialect.renewal(from: response) else { throw unrecognized(response) }
                return try await storeToken(grant, replacing: tokens, after: token, in: epoch)
            }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: epoch)
            let next = now().addingTimeInterval(Self.pauseAfterFailure)
            try await accounts.recordFailure(accountID, of: token.generation, error, refreshAfter: next)
            return .unchanged(token, error)
        }
    }

    /// Stores the token first, then updates the record. Until then no program relies on the new token.
    private func storeToken(
        _ grant: Grant, replacing old: SessionTokens, after token: CachedToken, in epoch: Int
    ) async throws -> Renewal {
        var tokens = SessionTokens(grant)
        // If the server renews only the access token, the refresh token stays valid.
        tokens.refresh = tokens.refresh ?? old.refresh
        tokens.keyID = tokens.keyID ?? old.keyID
        tokens.proofKey = old.proofKey
        if tokens != old {
            try await LatchError.converting {
                try await accounts.secrets.write(tokens.stored, for: AccountStore.tokenKey(accountID))
            }
            try accounts.hook.after(.renewedTokenWritten)
        }
        let expires = grant.expires(from: now())
        let due = dialect.refreshDate(now: now(), expires: expires)
        guard
            try await accounts.recordRenewal(accountID, of: token.generation, refreshAfter: due, expires: expires)
        else { throw try await recordEnd() }
        // The sign-out reads the new token from the store. No request may use it any more.
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        let newer = CachedToken(
            token: grant.token, generation: token.generation + 1, attempts: token.attempts + 1, epoch: epoch)
        held = newer
        machine.verified(in: epoch)
        return .renewed(newer)
    }

    private func rejected(
        _ token: CachedToken, first: Rejection?, second: Rejection, in epoch: Int
    ) async throws -> Renewal {
        guard let conclusive = [first, second].compactMap({ $0 }).first(where: \.isConclusive) else {
            guard try await isConfirmed(token.token) else {
                throw unconfirmed()
            }
            return try await end(token, because: second, in: epoch)
        }
        return try await end(token, because: conclusive, in: epoch)
    }

    /// Handles a token that cannot be renewed. An unmistakable rejection ends the session. Any other rejection ends it
    /// only if the server confirms it.
    private func confirm(_ rejection: Rejection, of token: CachedToken, in epoch: Int) async throws -> Renewal {
        if rejection.isConclusive { return try await end(token, because: rejection, in: epoch) }
        do {
            guard try await isConfirmed(token.token) else {
                throw unconfirmed()
            }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: epoch)
            return .unchanged(token, error)
        }
        return try await end(token, because: rejection, in: epoch)
    }

    private static let closed = LatchError(
        .offline, "The session was closed before its token was renewed. Open it again.")

    private static let unknown = Rejection(
        reason: "rejected", sentence: "the server no longer accepts the session", isConclusive: false)
}
