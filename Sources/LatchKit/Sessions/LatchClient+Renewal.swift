import Desktop
import FoundationEssentials
import Synchronization

extension LatchClient {
    /// Renews the tokens of all accounts before they expire, until the task is cancelled.
    ///
    /// A program that runs for a long time calls this once, in a task of its own. Otherwise a token is renewed when it is
    /// next used, which may be after its expiry. Renewals continue after a suspension of the machine and after a change
    /// of the clock. Programs that run at the same time share each renewal. Failures are retried with growing pauses, and
    /// are visible in the states of the sessions.
    ///
    /// - Throws: ``LatchError/Code/storageFailed`` when the process has too many open files.
    ///
    /// Source: OX-12.
    public func renewSessions() async throws {
        guard let timer = WallClockTimer() else {
            throw LatchError(
                .storageFailed,
                "Could not create a timer for renewals: the program has too many open files. Close some.")
        }
        renewalTimer.withLock { $0 = timer }
        defer { renewalTimer.withLock { $0 = nil } }
        await renewSessions(waiting: timer.wait(until:))
    }

    /// Renews the tokens that are due, and those of families whose responses do not say when a token expires. A program
    /// with a window calls this when it returns to the foreground.
    ///
    /// A call within 60 seconds after another one does nothing. Failures are visible in the states of the sessions.
    ///
    /// Source: OX-12.
    public func renewSessionsInForeground() async {
        let now = accounts.now()
        let isDue = foregroundRenewal.withLock { last in
            // A clock that was set back must not prevent renewals.
            if let last, last <= now, now.timeIntervalSince(last) < Self.foregroundPause { return false }
            last = now
            return true
        }
        guard isDue, let ids = try? await accounts.renewalDates().keys else { return }
        await withTaskGroup { group in
            for id in ids { group.addTask { await self.renewInForeground(id) } }
        }
    }

    /// The shortest time between two renewals in the foreground, in seconds. Onyx's own app has the same.
    static let foregroundPause: TimeInterval = 60

    private func renewInForeground(_ id: Account.ID) async {
        guard let account = try? await accounts.account(id), let session = try? session(for: account) else { return }
        if session.dialect.renewsInForeground {
            try? await session.refresh()
        } else {
            _ = await session.renewIfDue()
        }
    }

    /// Renews tokens, and waits with `waiting`.
    func renewSessions(waiting: @Sendable (Date) async -> WallClockTimer.Wakeup) async {
        var schedule = RenewalSchedule()
        while !Task.isCancelled {
            let due = (try? await accounts.renewalDates()) ?? [:]
            let now = accounts.now()
            switch schedule.next(now: now, due: due, random: { .random(in: 0...1) }) {
            case .renew(let ids):
                for (id, isRenewed) in await renew(ids) {
                    if isRenewed {
                        schedule.renewed(id)
                    } else {
                        schedule.failed(id, now: accounts.now(), random: { .random(in: 0...1) })
                    }
                }
            case .wait(let date):
                if await waiting(date) == .changed { schedule.clockChanged(now: accounts.now()) }
            }
        }
    }

    /// Renews the tokens that are due. Returns which accounts have a valid token now.
    private func renew(_ ids: [Account.ID]) async -> [(Account.ID, Bool)] {
        await withTaskGroup(of: (Account.ID, Bool).self) { group in
            for id in ids { group.addTask { (id, await self.renew(id)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func renew(_ id: Account.ID) async -> Bool {
        guard let account = try? await accounts.account(id), let session = try? session(for: account) else {
            return false
        }
        return await session.renewIfDue()
    }
}
