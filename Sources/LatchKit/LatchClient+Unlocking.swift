import FoundationEssentials

extension LatchClient {
    /// Unlocks what the person's PIN protects on the server, runs `body`, and locks it again.
    ///
    /// It is also locked when `body` throws and when the task is cancelled; that request takes at most seven seconds.
    /// When the server's time is over, `body` is cancelled. Some servers extend the time with each use, so the server is
    /// asked at its end. While `body` runs, every request of this session has access, also in other programs.
    ///
    /// - Parameters:
    ///   - pin: The PIN. It is not stored.
    ///   - account: The account.
    ///   - body: Sends requests with the client that it gets.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of ``perform(_:of:)`` for the PIN, in which case `body` does not run; the error of `body`;
    ///   ``LatchError/Code/pinExpired`` when the time is over; the error of a server that could not lock again. The
    ///   session stays valid.
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
        do {
            try await dialect.perform(.unlock(pin), with: client)
        } catch {
            // A request whose response was lost may have unlocked it.
            if (error as? LatchError)?.code != .wrongPIN { _ = await lock(dialect, client) }
            throw error
        }
        let result: Result<Value, any Error>
        do {
            result = .success(
                try await withThrowingTaskGroup(of: Value.self) { group in
                    group.addTask { try await body(client) }
                    group.addTask { try await self.waitForLock(dialect, client, waiting) }
                    defer { group.cancelAll() }
                    guard let value = try await group.next() else { throw CancellationError() }
                    return value
                })
        } catch {
            result = .failure(error)
        }
        let failure = await lock(dialect, client)
        if case .success = result, let failure { throw failure }
        return try result.get()
    }

    /// The least time between two questions whether the server has locked.
    private static let leastPause = 30.0

    /// Throws ``LatchError/Code/pinExpired`` when the server has locked because its time is over.
    private func waitForLock(
        _ dialect: any PINDialect, _ client: AuthorizedClient, _ waiting: @Sendable (Duration) async throws -> Void
    ) async throws -> Never {
        while true {
            // A server that does not respond now is asked again later. It locks by itself.
            let state = try? await dialect.pinState(with: client)
            try Task.checkCancellation()
            if let state, !state.isUnlocked {
                throw LatchError(
                    .pinExpired, "\(client.server) has locked again, because the time since the PIN is over. Try again."
                )
            }
            let left = state?.unlockedUntil?.timeIntervalSince(accounts.now()) ?? 0
            try await waiting(.seconds(max(left, Self.leastPause)))
        }
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
                + "by itself after its time, or lock it with 'latch pin lock'.",
            retryAfter: failure.retryAfter, status: failure.status, cause: failure)
    }
}
