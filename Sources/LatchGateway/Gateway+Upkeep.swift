import AuthorizationServer
import Database
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import SignInBridge

extension Gateway {
    /// Runs the background work of the gateway until the task is cancelled. It detects changes by other processes,
    /// writes last uses, replaces the certificate when its files change, and deletes sessions that ended long ago. It
    /// also deletes outdated failures and expired codes, reads which kinds of password hashes exist, rotates signing
    /// keys, compares its key with those of other gateways, tells clients that sessions have ended, and scans the
    /// picture library.
    ///
    /// A step that fails is logged and repeated later. No failure ends the gateway.
    ///
    /// - Throws: Nothing at present.
    package func run() async throws {
        try await run(clock: ContinuousClock())
    }

    /// Runs the background work with the caller's clock.
    package func run(clock: some Clock<Duration>) async throws {
        await withTaskGroup { group in
            group.addTask {
                await self.repeating(every: Self.noticeInterval, clock) { await self.detectExternalWrites() }
            }
            group.addTask { await self.repeating(every: .seconds(1), clock) { await self.flush() } }
            group.addTask { await self.repeating(every: .seconds(600), clock) { await self.purge() } }
            group.addTask { await self.repeating(every: .seconds(60), clock) { await self.sweep() } }
            group.addTask { await self.repeating(every: .seconds(60), clock) { await self.compareKeys() } }
            group.addTask { await self.repeating(every: .seconds(3600), clock) { await self.loadHashKinds() } }
            group.addTask { await self.repeating(every: .seconds(600), clock) { await self.maintainSigningKeys() } }
            group.addTask { await self.tellClients(every: .seconds(1), clock) }
            for dialect in self.dialects { group.addTask { await dialect.run(clock: clock) } }
            if let certificates = self.certificates {
                group.addTask {
                    await self.repeating(every: CertificateReloader.interval, clock) { certificates.checkFiles() }
                }
            }
        }
    }

    /// Scans the picture library now and returns when the database is complete. ``run()`` scans the library
    /// automatically.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    package func readLibrary() async throws {
        for dialect in dialects { try await dialect.scan() }
    }

    /// Tells clients the ends of sessions that are due now, and waits until all of them were told.
    package func tellClients() async {
        await withTaskGroup { notices in
            for notice in await self.dueNotices() { notices.addTask { await notice() } }
        }
    }

    /// Tells clients that their sessions have ended, until the task is cancelled. A client that does not respond delays
    /// no other client.
    private func tellClients(every interval: Duration, _ clock: some Clock<Duration>) async {
        await withDiscardingTaskGroup { notices in
            await self.repeating(every: interval, clock) {
                for notice in await self.dueNotices() { notices.addTask { await notice() } }
            }
        }
    }

    private func dueNotices() async -> [@Sendable () async -> Void] {
        var notices: [@Sendable () async -> Void] = []
        await attempt("Could not read which clients must be told that sessions have ended; trying again.") {
            notices = try await self.clientSignOuts?.due() ?? []
        }
        return notices
    }

    private func sweep() async {
        services.limits.sweep()
        await attempt("Could not delete old counters of failed attempts; trying again.") {
            try await self.attempts.sweep()
        }
        await services.codes?.sweep()
        await services.waitingRequests.sweep()
        await services.clientAssertions?.sweep()
        await services.proofs?.sweep()
    }

    /// Logs an error when another gateway on the database has another secret.
    func compareKeys() async {
        await attempt("Could not compare the key with those of other gateways; trying again.") {
            guard let keyAgreement = self.keyAgreement, try await !keyAgreement.confirm(isRunning: true) else { return }
            self.stores.log.error("The gateways do not share a key.", ["error": .text(KeyAgreement.difference)])
        }
    }

    /// Asks the database for changes by other processes, applies them to the values in memory, and renews the lease of
    /// those values. Without an answer, the lease ends, and every request reads the database.
    func detectExternalWrites() async {
        let asked = ContinuousClock.now
        do {
            let changes = try await stores.database.externalChanges()
            apply(changes)
            try await stores.bans.loadIfChanged(
                !changes.isComplete || changes.messages.contains { (StoredChange($0) ?? .bans) == .bans })
            clockWatch.compare(changes.clockDifference)
            stores.lease.renew(asked: asked)
            metrics.databaseAnswered(at: stores.now())
        } catch is CancellationError {
            return
        } catch {
            stores.log.count(error)
            // Every request that cannot be answered is logged.
            stores.log.debug("Could not ask the database for changes; trying again.")
        }
    }

    private func apply(_ changes: ExternalChanges) {
        let known = changes.messages.map(StoredChange.init)
        guard changes.isComplete, known.allSatisfy({ $0 != nil }) else { return invalidateCaches() }
        // Triggers send one message a row, and files change many at a time.
        for case let change? in Set(known) { apply(change) }
    }

    private func apply(_ change: StoredChange) {
        switch change {
        case .session(let digest):
            issuer.invalidate(session: digest)
            stores.elevations.invalidateCache()
        case .person(let id):
            issuer.invalidate(person: id)
            stores.apiKeys.invalidate(person: id)
            stores.people.invalidateCache()
        case .key(let id): stores.apiKeys.invalidate(key: id)
        case .signingKeys: stores.signingKeys.invalidateCache()
        case .assets: for dialect in dialects { dialect.invalidateCache() }
        case .bans: break
        }
    }

    private func invalidateCaches() {
        issuer.invalidateAll()
        stores.apiKeys.invalidateAll()
        stores.people.invalidateCache()
        stores.elevations.invalidateCache()
        for dialect in dialects { dialect.invalidateCache() }
        stores.signingKeys.invalidateCache()
    }

    /// Writes last uses of sessions and keys to the database, and deletes finished attempts to sign in.
    package func flush() async {
        await attempt("Could not write the last uses of sessions; trying again.") { try await self.issuer.flush() }
        await attempt("Could not write the last uses of keys; trying again.") { try await self.stores.apiKeys.flush() }
        await attempt("Could not delete finished attempts; trying again.") { try await self.attempts.flush() }
    }

    /// Deletes sessions that ended, keys that were revoked and unlinked identities that were seen long ago.
    package func purge() async {
        await attempt("Could not delete old keys; trying again.") {
            try await self.stores.apiKeys.purge(olderThan: self.stores.settings.sessions.rememberEnded)
        }
        await attempt("Could not delete old unlinked identities; trying again.") {
            let age = self.stores.settings.sessions.rememberEnded
            try await self.stores.people.purgeUnlinkedIdentities(olderThan: age)
        }
        await attempt("Could not remove unused clients; trying again.") {
            let settings = self.stores.settings.authorizationServer.registration
            let clients = try await self.stores.clients.removeUnused(
                for: settings.unusedLifetime, idle: settings.idleLifetime)
            for client in clients {
                self.stores.audit.record(AuditEvent(.clientRemoved, reason: "unused", client: client))
            }
        }
        await attempt("Could not delete expired access tokens; trying again.") {
            try await ClientSessionStore.purge(self.stores.database, now: self.stores.now())
        }
        await attempt("Could not delete old requests of devices; trying again.") {
            try await self.services.deviceRequests?.purge()
        }
        await attempt("Could not delete old sessions; trying again.") {
            let age = self.stores.settings.sessions.rememberEnded
            let count = try await self.stores.sessions.purge(olderThan: age)
            if count > 0 { self.stores.log.debug("Old sessions were deleted.", ["count": .number(count)]) }
        }
    }

    /// Reads which kinds of password hashes exist.
    package func loadHashKinds() async {
        await attempt("Could not read the kinds of password hashes; trying again.") {
            try await self.stores.people.loadHashKinds()
        }
    }

    /// Creates the first signing key if tokens are signed, replaces an old signing key, and deletes keys that are no
    /// longer needed.
    func maintainSigningKeys() async {
        await attempt("Could not maintain the signing keys; trying again.") {
            let keys = self.stores.signingKeys
            let settings = self.stores.settings
            if settings.authorizationServer.isEnabled
                || settings.enabledDialects.contains(where: { $0.keysPath != nil })
            {
                _ = try await keys.published()
            }
            try await keys.upkeep()
        }
    }

    func attempt(_ failure: StaticString, _ step: () async throws -> Void) async {
        do {
            try await step()
        } catch is CancellationError {
            return
        } catch let error as DatabaseError {
            stores.log.count(error)
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
