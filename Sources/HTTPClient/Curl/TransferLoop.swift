import CCurl
import Primitives
import Synchronization

/// The engine with libcurl: a thread that runs any number of transfers.
///
/// The thread starts with the first transfer and ends with ``close()`` or ``shutDown()``. It is also an executor: a
/// task can run on it between its transfers, so that no other thread must be woken for each. While the thread is not
/// running, such a task runs on the global executor.
///
/// Source: libcurl-multi(3); SE-0417.
final class TransferLoop: Transferring, @unchecked Sendable {  // `own` is used only on the thread.
    enum Phase { case idle, running, closing, closed }

    enum Command {
        case start(Transfer)
        case cancel(Transfer)
        case receive(Transfer, CheckedContinuation<[UInt8], any Error>)
        case send(Transfer, [UInt8], CheckedContinuation<Void, any Error>)
        case close(Transfer)
    }

    struct State {
        var phase = Phase.idle
        var commands: [Command] = []
        var jobs: [UnownedJob] = []
        /// Whether the thread sleeps and must be woken.
        var isAsleep = false
        var multi: MultiHandle?
        var thread: SystemThread?
        var waiters: [CheckedContinuation<Void, Never>] = []

        mutating func wake() {
            guard isAsleep else { return }
            isAsleep = false
            multi?.wakeUp()
        }
    }

    /// The commands and jobs that the thread itself submitted.
    struct Own {
        var commands: [Command] = []
        var jobs: [UnownedJob] = []
        /// The connections that were handed to callers.
        var connections: [UnsafeMutableRawPointer: OpenConnection] = [:]

        var isEmpty: Bool { commands.isEmpty && jobs.isEmpty }
    }

    let trust: Trust
    let state = Mutex(State())
    /// The id of the thread while it runs. 0 before and after.
    let thread = Atomic<UInt>(0)
    var own = Own()

    init(_ trust: Trust) {
        self.trust = trust
    }

    func perform(_ plan: TransferPlan) async throws -> TransferResult {
        try Task.checkCancellation()
        let transfer = Transfer(plan)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                transfer.setContinuation(continuation)
                submit(transfer)
            }
        } onCancel: {
            // The mark comes first: when the cancel command precedes the start, only the mark stops the transfer.
            transfer.markCancelled()
            give(.cancel(transfer))
        }
    }

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
        // The thread has no work left, so this waits only for its last instructions.
        state.withLock { $0.thread.take() }?.join()
    }

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
            state.wake()
        case .closing, .closed: break
        }
    }

    private func submit(_ transfer: Transfer) {
        if isCurrent { return own.commands.append(.start(transfer)) }
        let failure = state.withLock { state -> TransportError? in
            switch state.phase {
            case .closing, .closed:
                return TransportError(
                    .other,
                    "Could not send to '\(transfer.plan.address.origin)': this client is closed; create a new one.")
            case .idle:
                guard let multi = MultiHandle(), let thread = try? SystemThread.start({ self.run(multi) }) else {
                    return TransportError(
                        .other,
                        "Could not send to '\(transfer.plan.address.origin)': the system provides no more "
                            + "threads or memory; close other programs."
                    )
                }
                state.multi = multi
                state.thread = thread
                state.phase = .running
            case .running: break
            }
            state.commands.append(.start(transfer))
            state.wake()
            return nil
        }
        if let failure { transfer.end(.failure(failure)) }
    }

    /// Passes a command to the thread. Returns false when the thread does not run.
    @discardableResult
    func give(_ command: Command) -> Bool {
        if isCurrent {
            own.commands.append(command)
            return true
        }
        return state.withLock { state in
            guard state.phase == .running else { return false }
            state.commands.append(command)
            state.wake()
            return true
        }
    }

    /// Enqueues a job of a task that prefers this thread.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent { return own.jobs.append(job) }
        let isTaken = state.withLock { state in
            guard state.phase == .running else { return false }
            state.jobs.append(job)
            state.wake()
            return true
        }
        if !isTaken { globalConcurrentExecutor.enqueue(job) }
    }

    // Relaxed: only the thread itself can find its own id here.
    private var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }
}
