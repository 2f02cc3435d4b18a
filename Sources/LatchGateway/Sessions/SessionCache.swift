import Crypto
import FoundationEssentials
import Synchronization

/// Live sessions by the hash of their token, so that a request needs no database.
///
/// It holds about 200,000 at most, in less than 400 bytes each; past that the ones not asked for the longest go first. It never says
/// that a session is dead: what is not here, or is past its time, is asked of the database.
///
/// A reader that fetched a session from the database may put it in only if nothing was removed meanwhile: it takes a
/// ``Ticket`` before it reads. Otherwise a session ended between the two would be kept as live.
final class SessionCache: Sendable {
    /// The state of a part of the cache before a read of the database.
    struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    private let shards: [Shard]
    private let lifetime: SessionLifetime

    /// Makes an empty cache for `capacity` sessions at most, rounded to a multiple of the parts' size.
    init(lifetime: SessionLifetime, capacity: Int = 196_608) {
        self.lifetime = lifetime
        shards = (0..<16).map { _ in Shard(generationCapacity: max(1, capacity / 32)) }
    }

    /// How many sessions are held.
    var count: Int { shards.reduce(0) { $0 + $1.state.withLock { $0.young.count + $0.old.count } } }

    /// The session of a token that is used at `now`, and whether this use is worth recording (once a minute).
    func use(_ digest: SHA256Digest, at now: Date) -> (session: Session, isWorthRecording: Bool)? {
        shard(digest).state.withLock { state in
            guard var entry = state.find(digest) else { return nil }
            guard now < entry.livesUntil else {
                state.young[digest] = nil
                return nil
            }
            let isWorthRecording = entry.recordUse(at: now, sliding: lifetime.sliding)
            if isWorthRecording { state.young[digest] = entry }
            var session = entry.known.session
            session.expires = entry.expires
            return (session, isWorthRecording)
        }
    }

    /// The ticket that ``insert(_:_:lastUsed:livesUntil:ticket:)`` wants, to be taken before the database is read.
    func ticket(for digest: SHA256Digest) -> Ticket {
        Ticket(removals: shard(digest).state.withLock { $0.removals })
    }

    /// Puts a session in, unless something was removed since the ticket was taken.
    ///
    /// - Parameters:
    ///   - digest: The hash of the session's token.
    ///   - session: The session; its expiry is the one on disk.
    ///   - lastUsed: When its use was last recorded.
    ///   - livesUntil: When it ends, with uses that are recorded and not yet on disk.
    ///   - ticket: Taken before the session was read.
    func insert(
        _ digest: SHA256Digest, _ session: Session, lastUsed: Date, livesUntil: Date, ticket: Ticket
    ) {
        shard(digest).state.withLock { state in
            guard state.removals == ticket.removals else { return }
            state.insert(
                digest,
                Entry(known: Known(session), lastUsed: lastUsed, expires: session.expires, livesUntil: livesUntil))
        }
    }

    /// Tells of an expiry that is on disk now.
    func extend(_ digest: SHA256Digest, to expires: Date) {
        shard(digest).state.withLock { state in
            guard var entry = state.find(digest) else { return }
            entry.expires = max(entry.expires, expires)
            entry.livesUntil = max(entry.livesUntil, expires)
            state.young[digest] = entry
        }
    }

    /// Removes one session.
    func remove(_ digest: SHA256Digest) {
        shard(digest).state.withLock { state in
            state.removals += 1
            state.young[digest] = nil
            state.old[digest] = nil
        }
    }

    /// Removes all sessions of a person; looks at every session, which is right for something as rare.
    func remove(person: UUID) {
        for shard in shards {
            shard.state.withLock { state in
                state.removals += 1
                state.young = state.young.filter { $0.value.known.session.person.id != person }
                state.old = state.old.filter { $0.value.known.session.person.id != person }
            }
        }
    }

    /// Removes everything.
    func removeAll() {
        for shard in shards {
            shard.state.withLock { state in
                state.removals += 1
                state.young = [:]
                state.old = [:]
            }
        }
    }

    private func shard(_ digest: SHA256Digest) -> Shard {
        shards[digest.hashValue & 15]
    }
}

/// One part of the cache behind one lock.
private final class Shard: Sendable {
    let state: Mutex<ShardState>

    init(generationCapacity: Int) {
        state = Mutex(ShardState(generationCapacity: generationCapacity))
    }
}

/// Two generations: what is asked for moves to the young one, and when that is full it becomes the old one, and what
/// nobody asked for since the last such change is gone. Bounded, and no order to keep on the hot path.
private struct ShardState {
    let generationCapacity: Int
    var young: [SHA256Digest: Entry] = [:]
    var old: [SHA256Digest: Entry] = [:]
    var removals = 0

    init(generationCapacity: Int) {
        self.generationCapacity = generationCapacity
    }

    mutating func find(_ digest: SHA256Digest) -> Entry? {
        if let entry = young[digest] { return entry }
        guard !old.isEmpty, let entry = old.removeValue(forKey: digest) else { return nil }
        insert(digest, entry)
        return entry
    }

    mutating func insert(_ digest: SHA256Digest, _ entry: Entry) {
        if young.count >= generationCapacity {
            old = young
            young = [:]
        }
        old[digest] = nil
        young[digest] = entry
    }
}

private struct Entry {
    let known: Known
    var lastUsed: Date
    var expires: Date
    var livesUntil: Date

    /// Notes a use when the last one noted is a minute old or more.
    mutating func recordUse(at now: Date, sliding: Duration) -> Bool {
        guard now.timeIntervalSince(lastUsed) >= LastUses.interval else { return false }
        lastUsed = now
        livesUntil = max(livesUntil, min(now + sliding, known.session.cap))
        return true
    }
}

/// What does not change of a session, boxed: a dictionary keeps room for a third more entries than it has, and moves
/// them when it grows.
private final class Known: Sendable {
    let session: Session

    init(_ session: Session) {
        self.session = session
    }
}
