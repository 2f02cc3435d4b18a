import Crypto
import FoundationEssentials
import Synchronization

/// Uses of sessions that are to be written.
///
/// They are written together and off the requests' path. What a crash loses of them is a second of sliding.
final class LastUses: Sendable {
    /// A session's use is recorded at most once in this many seconds.
    static let interval = 60.0

    /// The uses of one session since the last that was written.
    struct Use: Sendable, Equatable {
        /// The first: the session was alive then by what the database says.
        var first: Date
        /// The last: what the session's further life is counted from.
        var last: Date
    }

    private let uses = Mutex<[SHA256Digest: Use]>([:])

    /// Notes a use.
    func note(_ digest: SHA256Digest, at now: Date) {
        uses.withLock { uses in
            var use = uses[digest] ?? Use(first: now, last: now)
            use.last = max(use.last, now)
            uses[digest] = use
        }
    }

    /// The uses noted of a session and not yet written.
    func pending(_ digest: SHA256Digest) -> Use? {
        uses.withLock { $0[digest] }
    }

    /// All uses noted; they stay noted until ``written(_:)``.
    var all: [SHA256Digest: Use] { uses.withLock { $0 } }

    /// Forgets uses that were written; of a session that was used again meanwhile, that use is kept.
    func written(_ written: [(digest: SHA256Digest, use: Use)]) {
        uses.withLock { uses in
            for (digest, use) in written {
                guard let current = uses[digest] else { continue }
                uses[digest] = current == use ? nil : Use(first: current.last, last: current.last)
            }
        }
    }
}
