import Database

extension Gateway {
    /// Keeps the gateway in order until the task is cancelled: notices what other processes write, writes last uses
    /// down, takes a certificate whose files were replaced, deletes sessions that ended long ago, forgets failures that
    /// do not count any more and codes that have expired, and learns what kinds of password hashes there are.
    ///
    /// A step that fails is logged and tried again; nothing of this ends the gateway.
    ///
    /// - Throws: Nothing but what the clock's sleep throws for another reason than cancellation.
    public func run() async throws {
        try await run(clock: ContinuousClock())
    }

    /// The same by a clock of the caller's.
    func run(clock: some Clock<Duration>) async throws {
        await withTaskGroup { group in
            group.addTask { await self.repeating(every: Self.noticeInterval, clock) { await self.noticeOthers() } }
            group.addTask { await self.repeating(every: .seconds(1), clock) { await self.flush() } }
            group.addTask { await self.repeating(every: .seconds(600), clock) { await self.purge() } }
            group.addTask { await self.repeating(every: .seconds(60), clock) { self.sweep() } }
            group.addTask { await self.repeating(every: .seconds(3600), clock) { await self.learnKinds() } }
            group.addTask { await self.repeating(every: .seconds(600), clock) { await self.keepKeys() } }
            if let library = self.services.library { group.addTask { await library.run(clock: clock) } }
            if let certificates = self.certificates {
                group.addTask { await self.repeating(every: CertificateKeeper.interval, clock) { certificates.look() } }
            }
        }
    }

    /// Reads the picture library now and returns when the database knows all of it; ``run()`` does so by itself.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    public func readLibrary() async throws {
        try await services.library?.scan()
    }

    private func sweep() {
        attempts.sweep()
        services.limits.sweep()
        bridge?.codes.sweep()
        bridge?.starts.sweep()
    }

    /// Forgets what is in memory when another process wrote to the database, and when that cannot be told in time: the
    /// thread that knows may be waiting for another process's lock.
    func noticeOthers(patience: Duration = .milliseconds(40)) async {
        await withTaskGroup { group in
            group.addTask { await self.othersMayHaveWritten() }
            group.addTask {
                do { try await ContinuousClock().sleep(for: patience) } catch { return false }
                return true
            }
            // Whichever is first: an answer, or the end of patience and the answer after all.
            if await group.next() == true { forget() } else { group.cancelAll() }
            if await group.next() == true { forget() }
        }
    }

    private func othersMayHaveWritten() async -> Bool {
        do {
            return try await stores.database.changedByOthers()
        } catch {
            return !(error is CancellationError)
        }
    }

    private func forget() {
        issuer.forgetEverything()
        stores.apiKeys.forgetEverything()
        stores.people.forget()
        stores.elevations.forget()
        services.library?.store.forget()
        stores.signingKeys.forget()
    }

    /// Writes last uses down.
    func flush() async {
        await attempt("Last uses of sessions were not written; trying again.") { try await self.issuer.flush() }
        await attempt("Last uses of keys were not written; trying again.") { try await self.stores.apiKeys.flush() }
    }

    /// Deletes sessions that ended, and keys that were revoked, long ago.
    func purge() async {
        await attempt("Old keys were not deleted; trying again.") {
            try await self.stores.apiKeys.purge(olderThan: self.stores.settings.sessions.rememberEnded)
        }
        await attempt("Old identities that are nobody's were not deleted; trying again.") {
            let age = self.stores.settings.sessions.rememberEnded
            try await self.stores.people.purgeUnlinkedIdentities(olderThan: age)
        }
        await attempt("Old sessions were not deleted; trying again.") {
            let age = self.stores.settings.sessions.rememberEnded
            let count = try await self.stores.sessions.purge(olderThan: age)
            if count > 0 { self.stores.log.debug("Old sessions were deleted.", ["count": .number(count)]) }
        }
    }

    /// Learns what kinds of password hashes there are.
    func learnKinds() async {
        await attempt("The kinds of password hashes were not read; trying again.") {
            try await self.stores.people.learnKinds()
        }
    }

    /// Creates the first signing key where tokens are signed, replaces it when it is old, and deletes keys that are not needed
    /// any more.
    func keepKeys() async {
        await attempt("The signing keys were not looked after; trying again.") {
            let keys = self.stores.signingKeys
            if self.stores.settings.timeTracker.isEnabled { _ = try await keys.published() }
            try await keys.upkeep()
        }
    }

    private func attempt(_ failure: StaticString, _ step: () async throws -> Void) async {
        do {
            try await step()
        } catch is CancellationError {
            return
        } catch let error as DatabaseError {
            stores.log.warning(failure, ["error": .text(error.message)])
        } catch {
            stores.log.warning(failure)
        }
    }

    private func repeating(
        every interval: Duration, _ clock: some Clock<Duration>, _ step: () async -> Void
    ) async {
        while !Task.isCancelled {
            await step()
            do { try await clock.sleep(for: interval) } catch { return }
        }
    }
}
