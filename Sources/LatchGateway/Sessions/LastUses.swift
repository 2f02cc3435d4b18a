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

    /// Parts, each behind its own lock, so that what is written meanwhile is copied in small pieces only and the memory
    /// of a rush is given back part by part.
    private let parts = (0..<partCount).map { _ in Part() }

    /// How many parts there are.
    static let partCount = 40

    /// Notes a use.
    func note(_ digest: SHA256Digest, at now: Date) {
        part(of: digest).uses.withLock { uses in
            var use = uses[digest] ?? Use(first: now, last: now)
            use.last = max(use.last, now)
            uses[digest] = use
        }
    }

    /// The uses noted of a session and not yet written.
    func pending(_ digest: SHA256Digest) -> Use? {
        part(of: digest).uses.withLock { $0[digest] }
    }

    /// The uses noted in one part; they stay noted until ``written(_:inPart:)``.
    func noted(inPart index: Int) -> [SHA256Digest: Use] {
        parts[index].uses.withLock { $0 }
    }

    /// Forgets uses of one part that were written; of a session that was used again meanwhile, that use is kept.
    func written(_ written: [SHA256Digest: Use], inPart index: Int) {
        parts[index].uses.withLock { uses in
            for (digest, use) in written {
                guard let current = uses[digest] else { continue }
                uses[digest] = current == use ? nil : Use(first: current.last, last: current.last)
            }
            // An emptied dictionary keeps its room; a new one has none.
            if uses.isEmpty { uses = [:] }
        }
    }

    private func part(of digest: SHA256Digest) -> Part {
        parts[Int(UInt(bitPattern: digest.hashValue) % UInt(Self.partCount))]
    }

    private final class Part: Sendable {
        let uses = Mutex<[SHA256Digest: Use]>([:])
    }
}
