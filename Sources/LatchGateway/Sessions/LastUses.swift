import Crypto
import FoundationEssentials
import Synchronization

/// Uses that are to be written of sessions that are not in memory any more; of the others their entries know.
///
/// They are written together and off the requests' path. What a crash loses of them is a second of sliding.
final class LastUses: Sendable {
    /// A session's use is noted at most once in this many seconds.
    static let interval = 60.0

    /// The uses of one session since the last that was written.
    struct Use: Sendable, Equatable {
        /// The first: the session was alive then by what the database says.
        var first: Date
        /// The last: what the session's further life is counted from.
        var last: Date
    }

    /// The hash of a session's token, and the uses of that session.
    typealias Noted = (digest: SHA256Digest, use: Use)

    private let uses = Mutex<[SHA256Digest: Use]>([:])

    /// Notes a use.
    func note(_ digest: SHA256Digest, at now: Date) {
        note(digest, Use(first: now, last: now))
    }

    /// Notes uses.
    func note(_ digest: SHA256Digest, _ use: Use) {
        uses.withLock { uses in
            var noted = uses[digest] ?? use
            noted.last = max(noted.last, use.last)
            uses[digest] = noted
        }
    }

    /// The uses noted of a session and not yet written.
    func pending(_ digest: SHA256Digest) -> Use? {
        uses.withLock { $0[digest] }
    }

    /// All uses noted; they stay noted until ``written(_:)``.
    func noted() -> [Noted] {
        uses.withLock { uses in uses.map { ($0.key, $0.value) } }
    }

    /// Forgets uses that were written; of a session that was used again meanwhile, that use is kept.
    func written(_ written: [Noted]) {
        uses.withLock { uses in
            for (digest, use) in written {
                guard let current = uses[digest] else { continue }
                uses[digest] = current == use ? nil : Use(first: current.last, last: current.last)
            }
            // An emptied dictionary keeps its room; a new one has none.
            if uses.isEmpty { uses = [:] }
        }
    }
}
