import Crypto
import FoundationEssentials
import Synchronization

/// Live sessions by the hash of their token, so that a request needs no database.
///
/// It holds about 200,000 at most, in some 300 bytes each; past that the ones not asked for the longest go first. It
/// never says that a session is dead: what is not here, or is past its time, is asked of the database.
///
/// A reader that fetched a session from the database may put it in only if nothing was removed meanwhile: it takes a
/// ``Ticket`` before it reads. Otherwise a session ended between the two would be kept as live.
///
/// A session's use is noted in its entry until it is written; an entry that goes leaves it to ``LastUses``.
final class SessionCache: Sendable {
    /// The state of a part of the cache before a read of the database.
    struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    /// How many parts there are, each behind its own lock.
    static let partCount = 16

    private let parts: [Part]
    private let lifetime: SessionLifetime
    private let leftUses: LastUses

    /// Makes an empty cache for `capacity` sessions at most, rounded to a multiple of the parts' size.
    ///
    /// `leftUses` gets the uses of entries that go before they are written.
    init(lifetime: SessionLifetime, capacity: Int = 196_608, leftUses: LastUses = LastUses()) {
        self.lifetime = lifetime
        self.leftUses = leftUses
        parts = (0..<Self.partCount).map { _ in Part(generationCapacity: max(1, capacity / Self.partCount / 2)) }
    }

    /// How many sessions are held.
    var count: Int { parts.reduce(0) { $0 + $1.state.withLock { $0.count } } }

    /// The session of a token that is used at `now`. At most once a minute the use is noted, to be written.
    func use(_ digest: SHA256Digest, at now: Date) -> Session? {
        part(digest).state.withLock { state in
            guard let entry = state.find(digest, leavingTo: leftUses) else { return nil }
            guard now < entry.livesUntil else {
                state.remove(digest)?.leave(to: leftUses)
                return nil
            }
            if entry.recordUse(at: now, sliding: lifetime.sliding) { state.note(entry) }
            return entry.session
        }
    }

    /// The ticket that ``insert(_:_:lastUsed:livesUntil:notedUse:ticket:)`` wants, to be taken before the database is
    /// read.
    func ticket(for digest: SHA256Digest) -> Ticket {
        Ticket(removals: part(digest).state.withLock { $0.removals })
    }

    /// Puts a session in, unless something was removed since the ticket was taken.
    ///
    /// - Parameters:
    ///   - digest: The hash of the session's token.
    ///   - session: The session; its expiry is the one on disk.
    ///   - lastUsed: When its use was last noted.
    ///   - livesUntil: When it ends, with uses that are noted and not yet on disk.
    ///   - notedUse: Whether the use at `lastUsed` is still to be written.
    ///   - ticket: Taken before the session was read.
    func insert(
        _ digest: SHA256Digest, _ session: Session, lastUsed: Date, livesUntil: Date, notedUse: Bool = false,
        ticket: Ticket
    ) {
        part(digest).state.withLock { state in
            guard state.removals == ticket.removals else {
                if notedUse { leftUses.note(digest, at: lastUsed) }
                return
            }
            state.remove(digest)?.leave(to: leftUses)
            state.insert(
                CachedSession(digest, session, lastUsed: lastUsed, livesUntil: livesUntil, notedUse: notedUse),
                leavingTo: leftUses)
        }
    }

    /// Tells of an expiry that is on disk now.
    func extend(_ digest: SHA256Digest, to expires: Date) {
        part(digest).state.withLock { $0.find(digest, leavingTo: leftUses)?.extend(to: expires) }
    }

    private func part(_ digest: SHA256Digest) -> Part {
        parts[Int(digest.leadingWord % UInt64(Self.partCount))]
    }

    private final class Part: Sendable {
        let state: Mutex<SessionCacheShard>

        init(generationCapacity: Int) {
            state = Mutex(SessionCacheShard(generationCapacity: generationCapacity))
        }
    }
}

extension SessionCache {
    /// Removes one session.
    func remove(_ digest: SHA256Digest) {
        part(digest).state.withLock { state in
            state.removals += 1
            _ = state.remove(digest)
        }
    }

    /// Removes all sessions of a person; looks at every session, which is right for something as rare.
    func remove(person: UUID) {
        for part in parts {
            part.state.withLock { state in
                state.removals += 1
                state.removeAll { $0.isOf(person) }
            }
        }
    }

    /// Removes everything.
    func removeAll() {
        for part in parts {
            part.state.withLock { state in
                state.removals += 1
                state.removeAll { entry in
                    entry.leave(to: leftUses)
                    return true
                }
            }
        }
    }
}

extension SessionCache {
    /// The use of a session that is noted in its entry.
    func pending(_ digest: SHA256Digest) -> LastUses.Use? {
        part(digest).state.withLock { $0.entry(digest)?.unwrittenUse }
    }

    /// The uses noted in one part; they stay noted until ``written(_:inPart:)``.
    func noted(inPart index: Int) -> [LastUses.Noted] {
        parts[index].state.withLock { state in
            state.unwritten.compactMap { entry in entry.unwrittenUse.map { (entry.digest, $0) } }
        }
    }

    /// Forgets uses of one part that were written; of a session that was used again meanwhile, that use is kept.
    func written(_ written: [LastUses.Noted], inPart index: Int) {
        parts[index].state.withLock { state in
            for (digest, use) in written { state.entry(digest)?.written(use) }
            state.forgetWritten()
        }
    }
}
