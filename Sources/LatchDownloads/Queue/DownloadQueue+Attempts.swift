import Desktop
import FoundationEssentials
import HTTPClient
import LatchKit

/// Records the ends of attempts that brought no file.
extension DownloadQueue {
    /// Records the end of an attempt, and does what follows from it.
    func recordEnd(of row: QueuedTask, _ outcome: FetchOutcome, _ part: DownloadPart?) async {
        do {
            guard try await store.task(row.position) != nil else {
                part?.remove()
                return try await reportIfAccountIsRemoved(row)
            }
            try await recordResumePoint(row)
            let facts = try await facts(row, outcome)
            let steps = machine.attemptEnded(
                row, outcome: outcome, facts: facts, now: context.now(), random: context.hook.random())
            for step in steps { try await perform(step, for: row, part: part) }
        } catch {
            // The row is still marked as running. The next run takes it up.
            part?.close()
            machine.databaseFailed(error)
        }
    }

    /// Reports the failure of a running task that was removed from the queue, if its account was removed.
    private func reportIfAccountIsRemoved(_ row: QueuedTask) async throws {
        guard try await latch.accounts.account(row.task.account) == nil else { return }
        report(row.task.id, .failed("You signed out of its account."))
    }

    /// Records what a part holds, if the database does not have it yet. When the database is full, the resume point is
    /// kept and recorded once there is free space.
    private func recordResumePoint(_ row: QueuedTask) async throws {
        guard let point = running[row.position]?.takePendingRecord()?.point else { return }
        do {
            try await store.record(row.position, resume: point, boot: SystemBoot.id)
        } catch {
            machine.couldNotRecord(point, of: row)
            throw error
        }
    }

    private func facts(_ row: QueuedTask, _ outcome: FetchOutcome) async throws -> DownloadStateMachine.AttemptFacts {
        var facts = DownloadStateMachine.AttemptFacts()
        switch outcome {
        case .temporaryFailure:
            if let gained = running[row.position]?.gained, gained >= DownloadStateMachine.progress {
                facts.hasProgressed = try await store.task(row.position)?.resume?.identifiesVersion ?? false
            }
        case .outage(let failure) where !failure.isUnreachable && failure.pause == nil:
            facts.isOnlyTaskOfHost = try await store.unfinished(at: row.host) <= 1
        default: break
        }
        return facts
    }

    private func perform(
        _ step: DownloadStateMachine.Step, for row: QueuedTask, part: DownloadPart?
    ) async throws {
        switch step {
        case .finish(let state, let keepsPart): try await finish(row, as: state, part: part, keepsPart: keepsPart)
        case .discardPart:
            part?.remove()
            try await store.record(row.position, resume: nil, boot: nil)
        case .backOff(let time, let reason, let attempts):
            if part?.count == 0 { part?.remove() } else { part?.close() }
            let isRecorded = try await store.record(
                row.position, waitsUntil: time, because: reason, attempts: attempts, now: context.now())
            if isRecorded { broadcast.send(.status(id: row.task.id, .waiting)) }
        case .returnToWaiting: try await returnToWaiting(row, part)
        case .pause(let reason): try await pause(reason, row)
        case .recordHostPause: if let pause = machine.outages.pause(of: row.host) { try await store.record(pause) }
        case .reportPauses: perform([.reportPauses])
        case .abandonHost(let reason): try await abandonHost(of: row, reason, part)
        case .applyCommand: try await applyCommand(to: row, part)
        }
    }

    /// Ends a task without a file. The other part of a live photo ends with it, because a live photo is never kept in
    /// part. If `keepsPart` is true, the received bytes are kept, so that a retry can resume.
    ///
    /// Source: DL-6.
    private func finish(
        _ row: QueuedTask, as state: DownloadState, part: DownloadPart?, keepsPart: Bool
    ) async throws {
        part?.close()
        guard try await store.record(row.position, state, keepsPart: keepsPart) else { return }
        if keepsPart { try await removeParts(of: row) } else { folder.removeParts(row) }
        report(row.task.id, state)
        guard let partner = try await store.partner(of: row), !partner.state.isOver else { return }
        // The file of this part exists here, so the other part does not stay alone and must not fail.
        if case .skipped = state, try await context.library.existing(row.task) != nil { return }
        try await failHalf(partner, without: row, keepsPart: keepsPart)
    }

    /// Fails a part of a live photo whose other part could not be fetched.
    func failHalf(_ row: QueuedTask, without other: QueuedTask?, keepsPart: Bool) async throws {
        let name = other.map { ", '\(SafeFileName($0.task.filename))'," } ?? ""
        let why = DownloadState.failed(
            "Both parts of a live photo are downloaded, or none: its other part\(name) could not be downloaded.")
        let isNew = try await store.end(row.position, why, keepsPart: keepsPart)
        // A row that had ended before did so while its part became complete; that fetch is not stopped.
        if let fetch = running[row.position] { if isNew { fetch.stop() } } else { try await removeParts(of: row) }
        if isNew { report(row.task.id, why) }
    }

    /// Removes the parts of an ended task, unless a retry can resume from them.
    private func removeParts(of row: QueuedTask) async throws {
        let current = try await store.task(row.position)
        if case .failed = current?.state, current?.resume?.identifiesVersion ?? false { return }
        folder.removeParts(row)
        if current?.resume != nil { try await store.record(row.position, resume: nil, boot: nil) }
    }

    private func report(_ id: DownloadTask.ID, _ state: DownloadState) {
        broadcast.send(.status(id: id, state))
        if let reason = state.reason { broadcast.send(.error(id: id, reason)) }
    }

    private func returnToWaiting(_ row: QueuedTask, _ part: DownloadPart?) async throws {
        part?.close()
        if try await store.record(row.position, .waiting) { broadcast.send(.status(id: row.task.id, .waiting)) }
    }

    private func pause(_ reason: PauseReason, _ row: QueuedTask) async throws {
        let actions = machine.attemptPaused(row, reason, now: context.now(), random: context.hook.random())
        perform(actions)
        guard case .account(let account, _) = reason, !actions.isEmpty else { return }
        // Not earlier: until its tasks are paused in the database, they look as if a command had resumed them.
        defer { machine.reasons.accountPauseEnded(account) }
        try await store.pause(account: account)
    }

    /// Does what the command says that stopped a transfer. Without one, the task waits for its turn.
    private func applyCommand(to row: QueuedTask, _ part: DownloadPart?) async throws {
        part?.close()
        switch try await store.task(row.position)?.state {
        case .running, .waiting: try await returnToWaiting(row, part)
        case .paused: broadcast.send(.status(id: row.task.id, .paused))
        case nil, .done, .skipped, .failed: try await removeParts(of: row)
        }
    }

    /// Fails the tasks of a host after the maximum waiting time. What they have received is kept.
    private func abandonHost(of row: QueuedTask, _ reason: String, _ part: DownloadPart?) async throws {
        defer { perform(machine.hostGivenUp(row.host)) }
        try await store.removePauses(of: [row.host])
        try await finish(row, as: .failed(reason), part: part, keepsPart: true)
        // In steps, because each task causes an event, and the queue may hold a million tasks.
        while await listenersHaveCapacity(), case let failed = try await store.fail(host: row.host, reason),
            !failed.isEmpty
        {
            for id in failed { report(id, .failed(reason)) }
        }
    }

    /// Waits until the listeners can take more events. Returns false when the queue stops meanwhile.
    private func listenersHaveCapacity() async -> Bool {
        while broadcast.isFull, machine.phase != .stopping { try? await Task.sleep(for: Self.interval) }
        return machine.phase != .stopping
    }
}
