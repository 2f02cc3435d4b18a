import CCurl
import Primitives
import Synchronization

/// The functions that run on the thread of the loop.
extension TransferLoop {
    typealias Active = [UnsafeMutableRawPointer: Transfer]

    /// The maximum time for which received bytes of a part are only in memory.
    private static let storeInterval = Duration.milliseconds(100)

    func run(_ multi: MultiHandle) {
        thread.store(SystemThread.current, ordering: .relaxed)
        var active: Active = [:]
        var nextStore = ContinuousClock.now
        while takeWork() {
            while !own.isEmpty {
                runJobs()
                performCommands(multi, &active)
            }
            // One socket at a time: the request after an ended transfer is sent before the next socket is read, so that
            // the server responds meanwhile.
            multi.perform()
            while let (easy, code) = multi.nextEnded() {
                guard let transfer = active.removeValue(forKey: easy) else { continue }
                finish(transfer, with: code, on: multi)
            }
            if multi.hasEvents { continue }
            advanceConnections()
            if own.isEmpty, maySleep() {
                // Limits the bytes that a crash loses to those of one interval, even when no further bytes follow.
                let isReceiving = active.values.contains { $0.plan.reception != nil }
                if isReceiving, nextStore <= .now {
                    for transfer in active.values { transfer.receiver.store() }
                    nextStore = .now + Self.storeInterval
                }
                multi.wait(until: isReceiving ? nextStore : nil, or: own.connections.values.compactMap(\.pollEntry))
                state.withLock { $0.isAsleep = false }
            }
        }
        // From here on, nothing may be added to `own`, because nothing would run it. Jobs go to the global executor.
        thread.store(0, ordering: .relaxed)
        end(multi, active)
    }

    /// Takes the commands and jobs from other threads. Returns false to end the loop.
    private func takeWork() -> Bool {
        state.withLock { state in
            guard state.phase == .running else { return false }
            own.commands += state.commands
            own.jobs += state.jobs
            state.commands.removeAll(keepingCapacity: true)
            state.jobs.removeAll(keepingCapacity: true)
            return true
        }
    }

    private func maySleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.phase == .running && state.commands.isEmpty && state.jobs.isEmpty
            return state.isAsleep
        }
    }

    private func runJobs() {
        let executor = asUnownedTaskExecutor()
        while !own.jobs.isEmpty {
            let jobs = own.jobs
            own.jobs = []
            for job in jobs { job.runSynchronously(on: executor) }
        }
    }

    private func performCommands(_ multi: MultiHandle, _ active: inout Active) {
        let commands = own.commands
        own.commands = []
        for command in commands {
            switch command {
            case .start(let transfer): start(transfer, on: multi, active: &active)
            case .cancel(let transfer): cancel(transfer, on: multi, active: &active)
            case .receive, .send, .close: performOnConnection(command, multi)
            }
        }
    }

    private func start(_ transfer: Transfer, on multi: MultiHandle, active: inout Active) {
        guard !transfer.isCancelled else { return transfer.end(.failure(CancellationError())) }
        guard let easy = EasyHandle() else { return transfer.end(.failure(Self.outOfMemory)) }
        easy.prepare(transfer.plan, trust: trust, for: transfer)
        guard multi.add(easy) else { return transfer.end(.failure(Self.outOfMemory)) }
        transfer.easy = easy
        active[easy.pointer] = transfer
    }

    private static var outOfMemory: TransportError {
        TransportError(.other, "Could not send the request: there is not enough memory; close other programs.")
    }

    private func cancel(_ transfer: Transfer, on multi: MultiHandle, active: inout Active) {
        guard let easy = transfer.easy, active.removeValue(forKey: easy.pointer) != nil else { return }
        multi.remove(easy)
        transfer.easy = nil
        transfer.end(.failure(CancellationError()))
    }

    private func finish(_ transfer: Transfer, with code: CURLcode, on multi: MultiHandle) {
        guard let easy = transfer.easy else { return }
        let outcome = TransferOutcome.result(of: transfer, easy, code)
        if transfer.plan.keepsConnection, case .success(let result) = outcome {
            return keep(transfer, easy, result)
        }
        multi.remove(easy)
        transfer.easy = nil
        transfer.end(outcome.mapError { $0 })
    }

    /// Cancels all transfers. Remaining jobs of tasks run on the global executor.
    private func end(_ multi: MultiHandle, _ active: Active) {
        for transfer in active.values {
            if let easy = transfer.easy { multi.remove(easy) }
            transfer.easy = nil
            transfer.end(.failure(CancellationError()))
        }
        for connection in own.connections.values { close(connection, multi) }
        let (commands, jobs, waiters) = state.withLock { state in
            state.phase = .closed
            // Under the lock, so that no thread wakes the handle after it is closed.
            state.multi = nil
            defer { (state.commands, state.jobs, state.waiters) = ([], [], []) }
            return (own.commands + state.commands, own.jobs + state.jobs, state.waiters)
        }
        own = Own()
        for command in commands { command.cancel() }
        for job in jobs { globalConcurrentExecutor.enqueue(job) }
        multi.close()
        for waiter in waiters { waiter.resume() }
    }
}
