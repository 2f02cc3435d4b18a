import FoundationEssentials

extension Session {
    /// How long after a failed try the next one is due.
    static let pauseAfterFailure: TimeInterval = 60

    /// Renews the token after `token`, together with everybody who wants the same.
    ///
    /// - Parameters:
    ///   - token: The one that is due or was rejected.
    ///   - rejection: The server's refusal of it, if that is the reason.
    /// - Returns: A newer token, or the old one and why there is none.
    /// - Throws: ``LatchError`` when there is no session, or none any more.
    func renew(after token: HeldToken, rejection: Rejection?) async throws -> Renewal {
        while true {
            if let held, held.epoch == token.epoch, held.generation > token.generation { return .renewed(held) }
            switch machine.wantsRefresh() {
            case .refuse(.signedOut(let reason)): throw signedOutError(reason)
            case .refuse: throw signedOutError(.notSignedIn)
            case .start(let epoch): return try await takeOff(token, rejection, epoch).value()
            case .join:
                guard let flight else { throw signedOutError(.notSignedIn) }
                let wasForRejection = isFlyingForRejection
                let renewal = try await flight.value()
                // A flight that was only due and found nobody says nothing about a rejected token.
                if rejection == nil || wasForRejection || token.epoch != machine.epoch { return renewal }
                if case .renewed(let newer) = renewal, newer.generation > token.generation { return renewal }
            }
        }
    }

    private func takeOff(_ token: HeldToken, _ rejection: Rejection?, _ epoch: Int) -> SharedTask<Renewal> {
        let flight = SharedTask<Renewal>()
        self.flight = flight
        isFlyingForRejection = rejection != nil
        flying = Task {
            let result: Result<Renewal, any Error>
            do {
                result = .success(try await renewUnderLock(token, rejection, epoch))
            } catch  where error is CancellationError || Task.isCancelled {
                // The callers were not cancelled: the session was signed out or closed. A store that was stopped reports that in
                // words of its own.
                result = .failure(
                    epoch == machine.epoch ? Self.closed : signedOutError(.notSignedIn))
            } catch {
                result = .failure(error)
            }
            seen = nil
            // Late: another session may fly already.
            if machine.refreshEnded(in: epoch) { publish() }
            if self.flight === flight { self.flight = nil }
            flight.land(result)
        }
        return flight
    }

    private func renewUnderLock(_ token: HeldToken, _ rejection: Rejection?, _ epoch: Int) async throws -> Renewal {
        let lock = try await LatchError.telling { try await accounts.locks.lock(accountID) }
        defer { lock.release() }
        guard let record = try await accounts.record(accountID), record.stage == .in else { throw try await noteEnd() }
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        let known = token.generation
        let isNewer = record.generation > known
        if isNewer { held = nil }
        let present = try await self.token(of: record, holdingLock: true)
        if isNewer { return .renewed(present) }
        // Another program tried while this one waited: its failure is the answer here too.
        if record.attempts > token.attempts, let failure = record.failure { return .kept(present, failure.error) }
        let act: LogEntry.Act = dialect.refresh == nil ? .confirm : .refresh
        return try await accounts.log.timing(act, (dialect.refresh ?? dialect.identity).base ?? server, outcome: \.word)
        {
            try await ask(present, record, rejection, epoch)
        }
    }

    private func ask(
        _ token: HeldToken, _ record: SessionRecord, _ rejection: Rejection?, _ epoch: Int
    ) async throws -> Renewal {
        guard let request = dialect.refresh else { return try await confirm(token, rejection ?? Self.unknown, epoch) }
        // What the store holds is newer than the memory when a program died between token and record.
        let stored = try await LatchError.telling { try await accounts.secrets.read(AccountStore.tokenKey(accountID)) }
        var token = token
        let tokens = stored.map(SessionTokens.init(stored:)) ?? SessionTokens(Grant(token: token.token))
        token.token = tokens.access
        do {
            let answer = try await exchange(request, tokens.lasting, timeout: .seconds(15))
            let verdict = dialect.authenticationOutcome(of: answer, to: request.path, at: request.base ?? server)
            // A new token is stored even during a sign-out, because it is the one to revoke on the server.
            if epoch != machine.epoch, verdict != .answered { throw signedOutError(.notSignedIn) }
            switch verdict {
            case .rejected(let refusal): return try await rejected(token, rejection, refusal, epoch)
            case .intercepted(let why): throw foreign(why, for: request.base)
            case .failing: throw failing(answer, at: request.base)
            case .answered:
                guard let grant = dialect.renewal(from: answer) else { throw misread(answer) }
                return try await keep(grant, replacing: tokens, after: token, epoch)
            }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: epoch)
            let next = now().addingTimeInterval(Self.pauseAfterFailure)
            try await accounts.noteFailure(accountID, of: token.generation, error, refreshAfter: next)
            return .kept(token, error)
        }
    }

    /// Token first, then the record: until the record says so, nobody counts on the new one.
    private func keep(
        _ grant: Grant, replacing old: SessionTokens, after token: HeldToken, _ epoch: Int
    ) async throws -> Renewal {
        var tokens = SessionTokens(grant)
        // A server that renews the access token alone means the other one to be kept.
        tokens.refresh = tokens.refresh ?? old.refresh
        tokens.keyID = tokens.keyID ?? old.keyID
        if tokens != old {
            try await LatchError.telling {
                try await accounts.secrets.write(tokens.stored, for: AccountStore.tokenKey(accountID))
            }
            try accounts.hook.after(.renewedTokenWritten)
        }
        let expires = grant.expires(from: now())
        let due = dialect.refreshDate(now: now(), expires: expires)
        guard
            try await accounts.noteRenewal(accountID, of: token.generation, refreshAfter: due, expires: expires)
        else { throw try await noteEnd() }
        guard epoch == machine.epoch else { throw signedOutError(.notSignedIn) }
        let newer = HeldToken(
            token: grant.token, generation: token.generation + 1, attempts: token.attempts + 1, epoch: epoch)
        held = newer
        machine.verified(in: epoch)
        return .renewed(newer)
    }

    private func rejected(
        _ token: HeldToken, _ first: Rejection?, _ second: Rejection, _ epoch: Int
    ) async throws -> Renewal {
        let told = [first, second].compactMap { $0 }.first(where: \.isUnmistakable)
        guard told != nil, let told else {
            guard try await isConfirmed(token.token) else {
                throw unconfirmed()
            }
            return try await end(token, second, epoch)
        }
        return try await end(token, told, epoch)
    }

    /// Where nothing can be renewed the server's word alone decides; a vague one is asked about again.
    private func confirm(_ token: HeldToken, _ rejection: Rejection, _ epoch: Int) async throws -> Renewal {
        if rejection.isUnmistakable { return try await end(token, rejection, epoch) }
        do {
            guard try await isConfirmed(token.token) else {
                throw unconfirmed()
            }
        } catch let error as LatchError where error.code.leavesSessionUnknown {
            machine.unanswered(error.code, in: epoch)
            return .kept(token, error)
        }
        return try await end(token, rejection, epoch)
    }

    private static let closed = LatchError(
        .offline, "The session was closed before its token was renewed. Open it again.")

    private static let unknown = Rejection(
        reason: "rejected", sentence: "the server does not accept the session any more", isUnmistakable: false)
}
