import Database
import FoundationEssentials
import LatchKit

/// Performs the actions of the state machine.
extension DownloadQueue {
    func perform(_ actions: [DownloadStateMachine.Action]) {
        for action in actions {
            switch action {
            case .start(let row, let isAbsent): start(row, isAbsent: isAbsent)
            case .stop(let position): running[position]?.stop()
            case .placeBatch: placeBatch()
            case .placeHalf(let file): placeHalf(file)
            case .report(let reason): broadcast.send(.pauseReasonChanged(waitReason(reason)))
            case .reportPauses:
                broadcast.send(
                    .pauseReasonChanged(machine.reasons.waitReason(waitReason) ?? machine.outages.waitReason))
            case .poll: wakes.wake()
            }
        }
    }

    var conditions: DownloadStateMachine.Conditions { .init(now: context.now(), isBacklogged: broadcast.isFull) }

    private func waitReason(_ reason: PauseReason) -> WaitReason {
        reason.waitReason(folder: folder.path, database: store.database.path ?? "")
    }

    // MARK: - Fetching

    private func start(_ row: QueuedTask, isAbsent: Bool) {
        let fetch = RunningFetch(row)
        running[row.position] = fetch
        // Most of the work of a transfer is on the thread of its client, so the rest runs there too.
        let executor = fetcher.sessions.executor(of: row.task.account)
        fetch.begin(Task(executorPreference: executor) { await self.run(fetch, isAbsent: isAbsent) })
    }

    private func run(_ fetch: RunningFetch, isAbsent: Bool) async {
        switch await fetcher.fetch(fetch, isAbsent: isAbsent) {
        case .complete(let row, let part): perform(machine.fileCompleted(ReadyFile(row: row, part: part)))
        case .failed(let row, let outcome, let part):
            // A stopped fetch is cancelled, and a cancelled task cannot write. A new task records the end nevertheless.
            await Task { await self.recordEnd(of: row, outcome, part) }.value
        case .obsolete: break
        }
        // Not earlier, because `recordEnd` takes the resume point and the received bytes from it.
        running[fetch.row.position] = nil
        counter.arrived(fetch.gained)
        perform(machine.fetchEnded(fetch.row.position, hasResponse: fetch.hasResponse, conditions))
    }

    /// Stops all transfers and moves, and waits for their ends.
    func stopAll() async {
        perform(machine.stop())
        placer.setStopping(true)
        // Repeated, because a transfer that ends may start a move, which must end too.
        while !machine.isIdle {
            for fetch in running.values { await fetch.ended() }
            await newestBatch?.value
            for placement in pairPlacements.values { await placement.value }
        }
        placer.setStopping(false)
        machine.workEnded()
    }

    // MARK: - Placing

    /// Puts a batch of files at their destinations, while transfers continue.
    private func placeBatch() {
        newestBatch = Task { [previous = newestBatch] in
            let (number, files) = machine.nextBatch()
            let batch = await placer.flush(files)
            // Batches are moved one after another, and the next one is flushed meanwhile.
            await previous?.value
            perform(machine.batchFlushed())
            let (isAnyDone, failures) = await placer.move(batch)
            if isAnyDone { machine.reasons.fileSaved() }
            for file in files {
                if let error = failures[file.row.position] { await placementFailed(file.row, error) }
                perform(machine.placementEnded(file.row.position, conditions))
            }
            perform(machine.batchMoved(number))
        }
    }

    /// Puts a live photo at its destination, if both parts are complete.
    private func placeHalf(_ file: ReadyFile) {
        let position = file.row.position
        pairPlacements[position] = Task {
            do {
                switch try await placer.placeHalf(file) {
                case .done: machine.reasons.fileSaved()
                case .waits: break
                case .failed(let halves):
                    for half in halves { try await failHalf(half.row, without: half.other, keepsPart: half.keepsPart) }
                }
            } catch {
                file.part?.close()
                let half = error as? PairMoveError
                await placementFailed(half?.row ?? file.row, half?.error ?? error)
            }
            pairPlacements[position] = nil
            perform(machine.placementEnded(position, conditions))
        }
    }

    /// Records that a complete file could not be moved to its destination.
    private func placementFailed(_ row: QueuedTask, _ error: any Error) async {
        if (error as? LatchError)?.code.isOfStorage ?? false {
            // The database failed, not the task. The part is kept, and the next run takes it up.
            return machine.databaseFailed(error)
        }
        var error = error
        // On a drive that disappeared, every move fails in some way. The missing folder pauses the queue instead.
        do { try await folder.check() } catch let missing { error = missing }
        let outcome = FetchOutcome(error, account: row.task.account)
        guard let outcome = DownloadStateMachine.outcome(ofFailedPlacement: outcome) else { return }
        await recordEnd(of: row, outcome, nil)
        guard case .paused = outcome, let partner = try? await store.partner(of: row), partner.isWhole else { return }
        try? await store.putBack(partner.position)
    }
}
