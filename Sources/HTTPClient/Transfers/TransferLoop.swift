import CCurl
import Synchronization

/// A thread that drives any number of transfers under one ``Trust``, with one pool of connections.
///
/// The thread starts with the first transfer and ends with ``close()`` or ``shutDown()``.
final class TransferLoop: Sendable {
    private enum Phase { case idle, running, closing, closed }

    private enum Command {
        case start(Transfer)
        case cancel(Transfer)
    }

    private struct State {
        var phase = Phase.idle
        var commands: [Command] = []
        var multi: MultiHandle?
        var thread: LoopThread?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let trust: Trust
    private let state = Mutex(State())

    init(_ trust: Trust) {
        self.trust = trust
    }

    /// Runs `plan`. Cancelling the task closes its connection, or resets its HTTP/2 stream, and throws
    /// `CancellationError`.
    func perform(_ plan: TransferPlan) async throws -> TransferResult {
        try Task.checkCancellation()
        let transfer = Transfer(plan)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.setContinuation(continuation)
                submit(transfer)
            }
        } onCancel: {
            transfer.markCancelled()
            enqueue(.cancel(transfer))
        }
    }

    /// Cancels every transfer, closes every connection and waits for the thread's end.
    func close() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                Self.beginClosing(&state)
                guard state.phase == .closing else { return true }
                state.waiters.append(continuation)
                return false
            }
            if isOver { continuation.resume() }
        }
        // The thread has nothing left to do: this waits for its last instructions only.
        state.withLock { $0.thread.take() }?.join()
    }

    /// Begins what ``close()`` does and does not wait.
    func shutDown() {
        let thread = state.withLock { state in
            Self.beginClosing(&state)
            return state.thread.take()
        }
        thread?.detach()
    }

    private static func beginClosing(_ state: inout State) {
        switch state.phase {
        case .idle: state.phase = .closed
        case .running:
            state.phase = .closing
            state.multi?.wakeUp()
        case .closing, .closed: break
        }
    }

    private func submit(_ transfer: Transfer) {
        let failure = state.withLock { state -> TransportError? in
            switch state.phase {
            case .closing, .closed:
                return TransportError(
                    .other,
                    "Could not send to '\(transfer.plan.address.origin)': this client is closed; make a new one.")
            case .idle:
                guard let multi = MultiHandle(), let thread = LoopThread.start({ self.run(multi) }) else {
                    return TransportError(
                        .other,
                        "Could not send to '\(transfer.plan.address.origin)': the system gives no further "
                            + "thread or memory."
                    )
                }
                state.multi = multi
                state.thread = thread
                state.phase = .running
            case .running: break
            }
            state.commands.append(.start(transfer))
            state.multi?.wakeUp()
            return nil
        }
        if let failure { transfer.end(.failure(failure)) }
    }

    private func enqueue(_ command: Command) {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.commands.append(command)
            state.multi?.wakeUp()
        }
    }

    // MARK: - On the thread

    private func run(_ multi: MultiHandle) {
        var active: [UnsafeMutableRawPointer: Transfer] = [:]
        while let commands = takeCommands() {
            for command in commands {
                switch command {
                case .start(let transfer): start(transfer, multi, &active)
                case .cancel(let transfer): cancel(transfer, multi, &active)
                }
            }
            multi.perform()
            while let (easy, code) = multi.nextEnded() {
                guard let transfer = active.removeValue(forKey: easy) else { continue }
                finish(transfer, code, multi)
            }
            multi.wait()
        }
        end(multi, active)
    }

    /// What to do next; nil ends the loop.
    private func takeCommands() -> [Command]? {
        state.withLock { state in
            guard state.phase == .running else { return nil }
            defer { state.commands = [] }
            return state.commands
        }
    }

    private func start(_ transfer: Transfer, _ multi: MultiHandle, _ active: inout [UnsafeMutableRawPointer: Transfer])
    {
        guard !transfer.isCancelled else { return transfer.end(.failure(CancellationError())) }
        guard let easy = EasyHandle() else { return transfer.end(.failure(Self.outOfMemory)) }
        easy.prepare(transfer.plan, trust: trust, for: transfer)
        guard multi.add(easy) else { return transfer.end(.failure(Self.outOfMemory)) }
        transfer.easy = easy
        active[easy.pointer] = transfer
    }

    private static var outOfMemory: TransportError {
        TransportError(.other, "Could not send the request: there is not enough memory; end other programs.")
    }

    private func cancel(_ transfer: Transfer, _ multi: MultiHandle, _ active: inout [UnsafeMutableRawPointer: Transfer])
    {
        guard let easy = transfer.easy, active.removeValue(forKey: easy.pointer) != nil else { return }
        multi.remove(easy)
        transfer.easy = nil
        transfer.end(.failure(CancellationError()))
    }

    private func finish(_ transfer: Transfer, _ code: CURLcode, _ multi: MultiHandle) {
        guard let easy = transfer.easy else { return }
        let outcome = TransferOutcome.result(of: transfer, easy, code)
        multi.remove(easy)
        transfer.easy = nil
        transfer.end(outcome.mapError { $0 })
    }

    private func end(_ multi: MultiHandle, _ active: [UnsafeMutableRawPointer: Transfer]) {
        for transfer in active.values {
            if let easy = transfer.easy { multi.remove(easy) }
            transfer.easy = nil
            transfer.end(.failure(CancellationError()))
        }
        let (commands, waiters) = state.withLock { state in
            state.phase = .closed
            state.multi = nil
            defer { (state.commands, state.waiters) = ([], []) }
            return (state.commands, state.waiters)
        }
        for case .start(let transfer) in commands { transfer.end(.failure(CancellationError())) }
        multi.close()
        for waiter in waiters { waiter.resume() }
    }
}
