import FoundationEssentials
import Primitives
import Synchronization

/// The notices that a gateway is sending to each client: at most two at a time, and none while the client does not
/// respond.
///
/// After a failure the client is left alone for five seconds, and twice as long after each further one, up to five
/// minutes.
final class NoticeQueues: Sendable {
    private struct Queue {
        var inFlight = 0
        var failures = 0
        var opens = Date.distantPast
    }

    /// The maximum number of notices to one client at a time.
    static let maximum = 2
    private static let firstPause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(300)

    private let queues = Mutex<[String: Queue]>([:])

    /// Reserves what a client has left. Returns how many notices may be sent at a time; each needs an ``end(_:)``.
    ///
    /// After a failure it is one, to learn whether the client responds again.
    func begin(_ client: String, at now: Date) -> Int {
        queues.withLock { queues in
            var queue = queues[client] ?? Queue()
            guard now >= queue.opens else { return 0 }
            let count = max(0, (queue.failures > 0 ? 1 : Self.maximum) - queue.inFlight)
            queue.inFlight += count
            queues[client] = queue
            return count
        }
    }

    /// Ends one reservation.
    func end(_ client: String) {
        queues.withLock { queues in
            guard var queue = queues[client] else { return }
            queue.inFlight -= 1
            // A client that responds needs no memory.
            queues[client] = queue.inFlight == 0 && queue.failures == 0 ? nil : queue
        }
    }

    /// Whether notices may be sent to a client now.
    func isOpen(_ client: String, at now: Date) -> Bool {
        queues.withLock { $0[client].map { now >= $0.opens } ?? true }
    }

    /// Records that a client responded.
    func responded(_ client: String) {
        queues.withLock {
            $0[client]?.failures = 0
            $0[client]?.opens = .distantPast
        }
    }

    /// Records that a client did not respond, or that it failed.
    func failed(_ client: String, at now: Date) {
        queues.withLock { queues in
            guard var queue = queues[client] else { return }
            // The notices that were sent at the same time are one failure.
            guard now >= queue.opens else { return }
            queue.opens = now + min(Self.longestPause, Self.firstPause * (1 << min(queue.failures, 10))).seconds
            queue.failures += 1
            queues[client] = queue
        }
    }
}
