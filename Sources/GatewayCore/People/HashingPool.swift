import Dispatch
import Primitives
import Synchronization

/// A pool of low-priority threads with a bounded queue, separate from the event loops.
///
/// The queue has a maximum, so a flood of sign-ins uses no more memory than that. Queued work is dropped when its caller is
/// cancelled.
///
/// The places have fair shares, see ``HashingShare``. When the queue or a share is full, the caller with the most places in
/// it loses the newest one to a caller with fewer. Without such a caller the new work is rejected at once.
///
/// Callers at addresses that are not known have three quarters of the places together, and of four turns three begin with
/// a known address. Of each kind, the accounts take turns: one with many waiting jobs has no more turns than one with a
/// single job.
///
/// Source: D. Bertsekas, R. Gallager, Data Networks, §6.5.2, max-min fairness; RFC 970 for the turns.
final class HashingPool: Sendable {
    private struct Job {
        let caller: HashingCaller
        let isKnown: Bool
        let perform: @Sendable () -> Void
        let abandon: @Sendable (any Error) -> Void
    }

    /// The jobs of one kind that wait, by the share that takes turns with others.
    private struct Turns {
        private var order: [HashingShare?] = []
        private var tickets: [HashingShare?: [Int]] = [:]

        mutating func append(_ ticket: Int, of share: HashingShare?) {
            if tickets[share] == nil { order.append(share) }
            tickets[share, default: []].append(ticket)
        }

        /// Returns the oldest ticket of the next share, which then is the last in the order.
        mutating func next() -> Int? {
            guard let share = order.first, let ticket = tickets[share]?.first else { return nil }
            remove(ticket, of: share)
            if tickets[share] != nil { order.append(order.removeFirst()) }
            return ticket
        }

        mutating func remove(_ ticket: Int, of share: HashingShare?) {
            tickets[share]?.removeAll { $0 == ticket }
            guard tickets[share]?.isEmpty == true else { return }
            tickets[share] = nil
            order.removeAll { $0 == share }
        }
    }

    private struct State {
        var nextTicket = 0
        var known = Turns()
        var others = Turns()
        var waiting: [Int: Job] = [:]
        /// The number of waiting jobs of callers at addresses that are not known.
        var otherCount = 0
        /// The number of waiting jobs of each share.
        var counts: [HashingShare: Int] = [:]
        var turn = 0
        var isStopped = false

        mutating func takeFirst() -> Job? {
            turn = (turn + 1) % 4
            let ticket = turn == 0 ? others.next() ?? known.next() : known.next() ?? others.next()
            return ticket.flatMap { remove($0) }
        }

        /// Frees a place for a job in a queue of so many places, if that is necessary.
        ///
        /// - Returns: The job that loses its place, or nil when none has to.
        /// - Throws: ``GatewayError/Code/busy`` when no caller in every full share has more places than this one would.
        mutating func freePlace(for job: Job, in queue: Int) throws(GatewayError) -> Job? {
            let full = job.caller.shares.filter { counts[$0, default: 0] >= $0.size(of: queue) }
            let isFullOfOthers = !job.isKnown && otherCount >= max(1, queue * 3 / 4)
            guard !full.isEmpty || isFullOfOthers || waiting.count >= queue else { return nil }
            var most = load(of: job, outside: full) + 1
            var newest: Int?
            for (ticket, rival) in waiting where !isFullOfOthers || !rival.isKnown {
                guard full.allSatisfy(rival.caller.shares.contains) else { continue }
                let load = load(of: rival, outside: full)
                guard load > most || load == most && newest.map({ $0 < ticket }) ?? false else { continue }
                (most, newest) = (load, ticket)
            }
            guard let newest, let displaced = remove(newest) else { throw HashingPool.busy }
            return displaced
        }

        /// The places of the largest share that a job counts for, other than `full`.
        private func load(of job: Job, outside full: [HashingShare]) -> Int {
            var most = 0
            for share in job.caller.shares where !full.contains(share) { most = max(most, counts[share] ?? 0) }
            return most
        }

        mutating func insert(_ job: Job, _ ticket: Int) {
            waiting[ticket] = job
            if job.isKnown {
                known.append(ticket, of: job.caller.shares.first)
            } else {
                others.append(ticket, of: job.caller.shares.first)
            }
            count(job, by: 1)
        }

        mutating func remove(_ ticket: Int) -> Job? {
            guard let job = waiting.removeValue(forKey: ticket) else { return nil }
            if job.isKnown {
                known.remove(ticket, of: job.caller.shares.first)
            } else {
                others.remove(ticket, of: job.caller.shares.first)
            }
            count(job, by: -1)
            return job
        }

        private mutating func count(_ job: Job, by change: Int) {
            if !job.isKnown { otherCount += change }
            for share in job.caller.shares {
                let count = counts[share, default: 0] + change
                counts[share] = count > 0 ? count : nil
            }
        }
    }

    private final class Shared: Sendable {
        let state = Mutex(State())
        let turns = DispatchSemaphore(value: 0)
    }

    private let shared = Shared()
    private let threads: Int
    private let queue: Int

    /// Starts `threads` threads with a queue for `queue` waiting jobs. Both are at least 1.
    init(threads: Int, queue: Int) {
        self.threads = max(1, threads)
        self.queue = max(1, queue)
        for _ in 0..<self.threads {
            let shared = shared
            // With a niceness of 10, event loops have priority over these threads on a busy core.
            try? SystemThread.detach(niceness: 10) { Self.work(shared) }
        }
    }

    deinit {
        stop()
    }

    /// The number of jobs that wait for a thread.
    var depth: Int { shared.state.withLock { $0.waiting.count } }

    /// Runs `work` on one of the threads.
    ///
    /// - Parameters:
    ///   - caller: Whose shares of the queue it uses.
    ///   - isKnown: Whether somebody has signed in at the caller's address before.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: ``GatewayError/Code/busy`` when the queue or the caller's share is full, or when a caller with fewer
    ///   places needs this one; ``GatewayError/Code/closed`` after ``stop()``; `CancellationError` when the task is
    ///   cancelled before the work starts; errors of `work`. Work that has started is always finished.
    func run<Result: Sendable>(
        for caller: HashingCaller = .server, isKnown: Bool = true, _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let ticket = shared.state.withLock { state in
            state.nextTicket += 1
            return state.nextTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
                let job = Job(
                    caller: caller, isKnown: isKnown,
                    perform: { continuation.resume(with: Swift.Result { try work() }) },
                    abandon: { continuation.resume(throwing: $0) })
                enqueue(job, ticket)
                // A cancellation between the check above and this line found no job to drop.
                if Task.isCancelled { drop(ticket) }
            }
        } onCancel: {
            drop(ticket)
        }
    }

    /// Rejects the waiting jobs, and ends the threads after their current jobs.
    func stop() {
        let waiting = shared.state.withLock { state in
            defer { state.waiting = [:] }
            guard !state.isStopped else { return [Job]() }
            state.isStopped = true
            return Array(state.waiting.values)
        }
        for job in waiting { job.abandon(Self.closed) }
        // Each thread must wake up once to see that the pool was stopped.
        for _ in 0..<threads { shared.turns.signal() }
    }

    private func enqueue(_ job: Job, _ ticket: Int) {
        let rejected = shared.state.withLock { state -> (job: Job, error: GatewayError)? in
            if state.isStopped { return (job, Self.closed) }
            do throws(GatewayError) {
                let displaced = try state.freePlace(for: job, in: queue)
                state.insert(job, ticket)
                return displaced.map { ($0, Self.busy) }
            } catch {
                return (job, error)
            }
        }
        // A displaced job leaves its signal to the one that takes its place.
        if let rejected { rejected.job.abandon(rejected.error) } else { shared.turns.signal() }
    }

    private func drop(_ ticket: Int) {
        let job = shared.state.withLock { $0.remove(ticket) }
        job?.abandon(CancellationError())
    }

    private static func work(_ shared: Shared) {
        while true {
            shared.turns.wait()
            // A dropped job leaves its signal behind, so there may be no job.
            let (job, isStopped) = shared.state.withLock { state in (state.takeFirst(), state.isStopped) }
            if let job { job.perform() } else if isStopped { return }
        }
    }

    private static let busy = GatewayError(.busy, "Too many people are signing in at this moment; try again shortly.")
    private static let closed = GatewayError(.closed, "The gateway is shutting down; try again shortly.")
}
