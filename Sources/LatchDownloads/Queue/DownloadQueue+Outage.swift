import FoundationEssentials
import HTTPClient
import LatchKit

/// Handles hosts that currently serve nothing. Such a host holds up its own tasks. None of them fails for this reason
/// before the maximum waiting time has passed.
extension DownloadQueue {
    /// Decides what happens to a task whose host did not respond, or refuses all requests.
    func rest(_ row: QueuedTask, _ trouble: HostTrouble, _ part: DownloadPart?) async throws {
        if !trouble.isUnreachable, trouble.pause == nil, try await store.unfinished(at: row.host) <= 1 {
            // The host responds and has no other unfinished tasks, so the failure may concern this task only.
            outages.end(row.host)
            tellHolds()
            return try await tryAgain(row, trouble.reason, nil, part, attempts: settings.retries)
        }
        let maximum =
            trouble.isUnreachable ? settings.maximumOutage : settings.maximumOutage ?? DownloadSettings.usualOutage
        let verdict = outages.failed(row, trouble, now: now(), maximum: maximum, chance: hook.chance())
        switch verdict {
        case .once: try await tryAgain(row, trouble.reason, trouble.pause, part, attempts: settings.retries)
        case .rests(let until, let isNew):
            // One second later than the host's pause, so that another task, if there is one, is tried first.
            try await rest(row, until: until.addingTimeInterval(1), trouble.reason, part, attempts: row.attempts)
            if let pause = outages.pause(of: row.host) { try await store.note(pause) }
            if isNew { tellHolds() }
        case .isOver(let waited): try await giveUp(row, trouble, waited, part)
        }
    }

    /// Fails the tasks of a host after the maximum waiting time. What they have received is kept.
    private func giveUp(
        _ row: QueuedTask, _ trouble: HostTrouble, _ waited: Double, _ part: DownloadPart?
    ) async throws {
        defer {
            // Tasks that are already in memory may have failed with the others.
            isCommanded = true
            outages.end(row.host)
            tellHolds()
        }
        let reason =
            "\(trouble.reason) Gave up after \(Int((waited / 60).rounded())) minutes. When the server is back: "
            + "latch downloads retry"
        try await store.removePauses(of: [row.host])
        try await finish(row, .failed(reason), part, keepsPart: true)
        while await listenersHaveRoom(), case let failed = try await store.fail(host: row.host, reason), !failed.isEmpty
        {
            for id in failed { tell(id, .failed(reason)) }
        }
    }

    /// Waits until the listeners can take more events. Returns false when the queue stops meanwhile.
    private func listenersHaveRoom() async -> Bool {
        while broadcast.isFull, !isStopping { try? await Task.sleep(for: Self.interval) }
        return !isStopping
    }

    /// Adopts the pauses in the database, and ends those that a command has removed from it.
    func syncPauses() async throws {
        let pauses = try await store.pauses(after: now())
        let told = outages.sentence
        outages.takeUp(pauses)
        outages.tryNow(but: Set(pauses.map(\.host)))
        if outages.sentence != told { tellHolds() }
    }

    /// Removes the stored pauses of hosts that respond again.
    func noteAnsweringHosts() async throws {
        guard !answeringHosts.isEmpty else { return }
        let hosts = answeringHosts
        answeringHosts = []
        try await store.removePauses(of: hosts)
    }

    /// Ends all pauses when the clock was set back, because they would become longer.
    func checkClock() async throws {
        let time = now()
        let last = if let clock { clock } else { try await store.lastRest() ?? .distantPast }
        clock = time
        guard time.addingTimeInterval(Self.clockTolerance) < last else { return }
        try await store.endPauses()
        outages.tryNow()
        nextTime = time
    }

    /// By how many seconds the clock may be set back without ending the pauses.
    private static let clockTolerance = 5.0

    /// Ends the outages of hosts that responded to a running task.
    func noteAnswers() {
        guard !outages.isEmpty else { return }
        for fetch in running.values where fetch.hasAnswer && outages.isFirst(fetch.row) { _ = noteAnswer(fetch.row) }
    }

    /// Records that the host of a task responds. Returns whether that ended an outage.
    func noteAnswer(_ row: QueuedTask) -> Bool {
        guard outages.answered(row) else { return false }
        answeringHosts.insert(row.host)
        tellHolds()
        wakes.wake()
        return true
    }
}
