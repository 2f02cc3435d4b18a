import Crypto
import FoundationEssentials
import Synchronization

/// Unwritten uses of sessions that are no longer in the cache. Cached sessions keep their unwritten uses in their
/// entries.
///
/// Uses are written in batches, outside of requests. A crash loses about a second of sliding lifetime.
final class UnwrittenUses: Sendable {
    /// The minimum time between two recorded uses of a session, in seconds.
    static let interval = 60.0

    /// The unwritten uses of one session.
    struct Use: Sendable, Equatable {
        /// The first unwritten use. At this time, the session was live according to the database.
        var first: Date
        /// The last use, from which the sliding lifetime is counted.
        var last: Date
    }

    /// The hash of a session's token, and the unwritten uses of that session.
    typealias UnwrittenUse = (digest: SHA256Digest, use: Use)

    private let uses = Mutex<[SHA256Digest: Use]>([:])

    /// Records a use.
    func record(_ digest: SHA256Digest, at now: Date) {
        record(digest, Use(first: now, last: now))
    }

    /// Records uses.
    func record(_ digest: SHA256Digest, _ use: Use) {
        uses.withLock { uses in
            // The earlier `first` is kept: at a later use, the session may be live only because of an unwritten one.
            var pending = uses[digest] ?? use
            pending.last = max(pending.last, use.last)
            uses[digest] = pending
        }
    }

    /// Returns the unwritten uses of a session.
    func pending(_ digest: SHA256Digest) -> Use? {
        uses.withLock { $0[digest] }
    }

    /// Returns all unwritten uses. They are kept until ``written(_:)`` is called.
    func pending() -> [UnwrittenUse] {
        uses.withLock { uses in uses.map { ($0.key, $0.value) } }
    }

    /// Removes uses that were written. If a session was used again in the meantime, that use is kept.
    func written(_ written: [UnwrittenUse]) {
        uses.withLock { uses in
            for (digest, use) in written {
                guard let current = uses[digest] else { continue }
                uses[digest] = current == use ? nil : Use(first: current.last, last: current.last)
            }
            // An emptied dictionary keeps its capacity; a new one has none.
            if uses.isEmpty { uses = [:] }
        }
    }
}
