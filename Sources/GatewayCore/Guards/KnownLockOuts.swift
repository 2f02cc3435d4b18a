import FoundationEssentials
import Synchronization

/// The lock-outs that this gateway knows. An attempt during one of them is refused without the database, so that a
/// flood of such attempts costs nothing.
///
/// A lock-out never ends early, so one that another gateway started is only found later, and none is kept too long.
final class KnownLockOuts: Sendable {
    private let capacity: Int
    private let ends = Mutex<[[UInt8]: Date]>([:])

    /// Creates an empty collection for at most `capacity` lock-outs. When it is full, all are forgotten, and the next
    /// attempt of each finds its lock-out in the database.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The number of lock-outs in memory, including those that are over and were not dropped yet.
    var count: Int { ends.withLock { $0.count } }

    /// Returns how long the lock-out of a key still lasts, at most `maximum`. Nil when none is known.
    func wait(for key: [UInt8], maximum: Duration, at now: Date) -> Duration? {
        ends.withLock { ends in
            guard let end = ends[key] else { return nil }
            guard now < end else {
                ends[key] = nil
                return nil
            }
            // If the clock was set back, the lock-out must still not exceed its maximum length.
            let bounded = min(end, now + maximum)
            ends[key] = bounded
            return .seconds(bounded.timeIntervalSince(now))
        }
    }

    /// Records a lock-out.
    func insert(_ key: [UInt8], until end: Date) {
        ends.withLock { ends in
            if ends[key] == nil, ends.count >= capacity { ends = [:] }
            ends[key] = end
        }
    }

    /// Drops the lock-outs that are over.
    func sweep(at now: Date) {
        ends.withLock { ends in ends = ends.filter { $0.value > now } }
    }
}
