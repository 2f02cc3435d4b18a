import Crypto
import FoundationEssentials
import HTTPClient

extension Session {
    /// Returns the token and its generation. Renews it first if it is due.
    func current() async throws -> CachedToken {
        let (token, record) = try await present()
        guard isDue(record), dialect.refresh != nil else { return token }
        switch try await renew(after: token, rejection: nil) {
        case .renewed(let newer): return newer
        case .unchanged(let old, let error):
            guard let expires = record.expires, expires <= now() else { return old }
            throw LatchError(
                .offline,
                "The session has expired, and \(server) could not be asked to renew it: \(error.message)",
                cause: error)
        }
    }

    /// Renews the token if it is due. Returns false when that failed and is to be repeated.
    func renewIfDue() async -> Bool {
        _ = try? await current()
        guard let record = try? await accounts.record(accountID), record.stage == .in else { return true }
        return record.failure == nil && !isDue(record)
    }

    /// Whether the token is due for renewal. A date that is too far in the future also counts as due, because it means
    /// that the clock was set back.
    private func isDue(_ record: SessionRecord) -> Bool {
        let now = now()
        let latest = max(
            dialect.refreshDate(now: now, expires: record.expires), now.addingTimeInterval(Self.pauseAfterFailure))
        // The database rounds dates.
        return now >= record.refreshAfter || record.refreshAfter > latest.addingTimeInterval(1)
    }

    /// Returns the token and the client, if both were checked just now. This is for many requests in a row. They notice
    /// a little later what another program does to the account.
    func recent() -> (token: CachedToken, transport: Transport)? {
        guard leaving == nil, machine.state.isSignedIn, let held, held.epoch == machine.epoch, let seen, let transport,
            held.generation == seen.record.generation, transport.isCurrent(seen.record),
            seen.at + Self.recheckInterval > .now, !isDue(seen.record) || dialect.refresh == nil
        else { return nil }
        return (held, transport)
    }

    /// How long a checked token is used without reading the database again. Another program's sign-out takes effect as
    /// fast as one on another instance of the gateway.
    private static let recheckInterval = Duration.milliseconds(250)

    /// Returns the current token, whether due or not, and the record of the session.
    func present(holdingLock: Bool = false) async throws -> (token: CachedToken, record: SessionRecord) {
        guard leaving == nil, machine.state != .signingOut else { throw signedOutError(.notSignedIn) }
        guard let record = try await accounts.record(accountID), record.stage == .in else {
            throw try await recordEnd()
        }
        let asked = ContinuousClock.now
        mustChangePassword = record.mustChangePassword
        let token = try await token(of: record, holdingLock: holdingLock)
        seen = (record, asked)
        return (token, record)
    }

    /// Returns the token of a record, from memory if that is up to date. `holdingLock` is whether the caller holds the
    /// account's lock.
    func token(of record: SessionRecord, holdingLock: Bool = false) async throws -> CachedToken {
        if var held, held.generation == record.generation, machine.state.isSignedIn, held.epoch == machine.epoch {
            do {
                try await LatchError.converting { try accounts.vault.requireUnlocked() }
            } catch {
                self.held = nil
                throw error
            }
            held.attempts = record.attempts
            self.held = held
            return held
        }
        let asked = machine.epoch
        let secret: Secret?
        do {
            secret = try await LatchError.converting {
                try await accounts.secrets.read(AccountStore.tokenKey(accountID))
            }
        } catch let error as LatchError {
            machine.couldNotRead(error.code)
            publish()
            throw error
        }
        guard let secret else { return try await endWithoutToken(record, holdingLock: holdingLock) }
        // The session ended or another one began while the store was being read.
        guard asked == machine.epoch else { return try await present(holdingLock: holdingLock).token }
        machine.found()
        publish()
        let tokens = SessionTokens(stored: secret)
        proofs.use(tokens.proofKey)
        let token = CachedToken(
            token: tokens.access, generation: record.generation, attempts: record.attempts,
            epoch: machine.epoch)
        held = token
        return token
    }

    /// Ends the session when the store is open but does not contain the token.
    private func endWithoutToken(_ record: SessionRecord, holdingLock: Bool) async throws -> CachedToken {
        let reason = "the secret store no longer contains its token"
        // Another program may be between two steps of a sign-out or sign-in. Holding the lock rules that out.
        let lock = holdingLock ? nil : try await LatchError.converting { try await accounts.locks.lock(accountID) }
        defer { lock?.release() }
        let again = try await LatchError.converting {
            try await accounts.secrets.read(AccountStore.tokenKey(accountID))
        }
        if again == nil { _ = try await accounts.end(accountID, of: record.generation, because: reason) }
        throw try await recordEnd()
    }

    /// Updates the state when the database has no session, and returns the error for the caller.
    func recordEnd() async throws -> LatchError {
        let record = try await accounts.record(accountID)
        if record?.stage == .in { return LatchError(.offline, "The session has just changed. Try again.") }
        let reason: SessionState.SignedOutReason =
            if let record, [.out, .wiping].contains(record.stage), let text = record.endedBecause {
                .ended(text)
            } else {
                .notSignedIn
            }
        (held, seen) = (nil, nil)
        machine.foundNone(reason)
        publish()
        return signedOutError(reason)
    }

    /// Returns the error for a caller that needs a session when there is none.
    func signedOutError(_ reason: SessionState.SignedOutReason) -> LatchError {
        switch reason {
        case .notSignedIn: LatchError(.signedOut, "You are not signed in to \(server). Sign in first.")
        case .ended(let text):
            LatchError(.sessionEnded, "You were signed out of \(server) because \(text). Sign in again.")
        }
    }
}
