import FoundationEssentials

extension LatchClient {
    /// Unlocks what the person's PIN protects on the server, runs `body`, and locks it again.
    ///
    /// It is also locked when `body` throws and when the task is cancelled; that request takes at most seven seconds.
    /// When the time that the server announced is over, and after 15 minutes at the latest, `body` is cancelled. Some
    /// servers extend the time with each request, so the end does not depend on the server's state at that time. While
    /// `body` runs, every request of this session has access, also in other programs.
    ///
    /// - Parameters:
    ///   - pin: The PIN. It is not stored.
    ///   - account: The account.
    ///   - body: Sends requests with the client that it gets.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of ``perform(_:of:)`` for the PIN, in which case `body` does not run; the error of `body`;
    ///   ``LatchError/Code/pinExpired`` when the time is over. If the server could not lock again, the message says so;
    ///   unless `body` threw another ``LatchError``, the error is then that of the lock. The session stays valid.
    ///
    /// Source: IM-15.
    public func withUnlocked<Value: Sendable>(
        _ pin: PIN, of account: Account, _ body: @escaping @Sendable (AuthorizedClient) async throws -> Value
    ) async throws -> Value {
        try await withUnlocked(pin, of: account, waiting: { try await Task.sleep(for: $0) }, body)
    }

    /// Waits with `waiting` for the end of the server's time; see ``withUnlocked(_:of:_:)``.
    func withUnlocked<Value: Sendable>(
        _ pin: PIN, of account: Account, waiting: @escaping @Sendable (Duration) async throws -> Void,
        _ body: @escaping @Sendable (AuthorizedClient) async throws -> Value
    ) async throws -> Value {
        let (dialect, client) = try pinDialect(of: account)
        let end = ContinuousClock.now + Self.longestUnlock
        do {
            try await dialect.perform(.unlock(pin), with: client)
        } catch {
            if let code = (error as? LatchError)?.code,
                code == .wrongPIN || LatchError.Code.beforeSending.contains(code)
            {
                throw error
            }
            // A request whose response was lost may have unlocked it.
            throw Self.error(error, await lock(dialect, client))
        }
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: Value.self) { group in
                    group.addTask { try await body(client) }
                    group.addTask { try await self.waitForEnd(at: end, dialect, client, waiting) }
                    defer { group.cancelAll() }
                    guard let value = try await group.next() else { throw CancellationError() }
                    return value
                })
        } catch {
            result = .failure(error)
        }
        let failure = await lock(dialect, client)
        switch result {
        case .success(let value):
            if let failure { throw failure }
            return value
        case .failure(let error): throw Self.error(error, failure)
        }
    }

    /// Returns the error to throw after a failure, with why the server could not be locked again.
    private static func error(_ error: any Error, _ failure: LatchError?) -> any Error {
        guard let failure else { return error }
        guard let error = error as? LatchError, error.code != .cancelled else {
            return LatchError(
                failure.code, failure.message, retryAfter: failure.retryAfter, status: failure.status,
                remedy: failure.remedy, cause: error)
        }
        return LatchError(
            error.code, "\(error.message) \(failure.message)", retryAfter: error.retryAfter, status: error.status,
            remedy: failure.remedy, cause: error)
    }

    /// The longest time for which something is unlocked.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    private static let longestUnlock = Duration.seconds(900)
    /// The pause before a server that did not report its state is asked again.
    private static let pause = Duration.seconds(30)

    /// Throws ``LatchError/Code/pinExpired`` when the time that the server announced is over, at `end` at the latest.
    ///
    /// The time is measured on the clock of this device that cannot be set. The server is not asked again: Immich
    /// extends the time with each request in its last five minutes.
    private func waitForEnd(
        at end: ContinuousClock.Instant, _ dialect: any PINDialect, _ client: AuthorizedClient,
        _ waiting: @Sendable (Duration) async throws -> Void
    ) async throws -> Never {
        var left = ContinuousClock.now.duration(to: end)
        while left > .zero {
            let state = try? await dialect.pinState(with: client)
            try Task.checkCancellation()
            left = ContinuousClock.now.duration(to: end)
            if let state {
                guard state.isUnlocked else { break }
                // A time in the past means that the clocks differ.
                if let announced = state.unlockedFor, announced > .zero { left = min(left, announced) }
                try await waiting(left)
                break
            }
            try await waiting(min(left, Self.pause))
            left = ContinuousClock.now.duration(to: end)
        }
        throw LatchError(
            .pinExpired, "The time since the PIN at \(client.server) is over. Enter it again to continue.")
    }

    /// Locks within a limited time, also when the task is cancelled. Returns why that failed, or nil.
    private func lock(_ dialect: any PINDialect, _ client: AuthorizedClient) async -> LatchError? {
        let bound = accounts.revocationTimeout
        let failure = await Task {
            await withTaskGroup(of: LatchError?.self) { group in
                group.addTask {
                    do {
                        try await dialect.perform(.lock, with: client)
                        return nil
                    } catch {
                        return LatchError(error, asking: client.server)
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: bound)
                    return LatchError(.timedOut, "\(client.server) did not respond in time.")
                }
                defer { group.cancelAll() }
                return await group.next() ?? nil
            }
        }.value
        // A session that has ended has access to nothing.
        guard let failure, ![.signedOut, .sessionEnded].contains(failure.code) else { return nil }
        return LatchError(
            failure.code,
            "What the PIN protects at \(client.server) could not be locked again: \(failure.message) The server locks it "
                + "by itself after its time, or lock it again yourself.",
            retryAfter: failure.retryAfter, status: failure.status, remedy: .lockAgain, cause: failure)
    }
}
