import Crypto
import FoundationEssentials
import Synchronization

/// A cache of live sessions by the hash of their token, so that a request needs no database read.
///
/// The cache holds at most about 200,000 sessions, of some 300 bytes each. When it is full, the least recently used
/// sessions are evicted first. The cache never reports that a session has ended: when a session is not cached or has
/// expired, the database is read.
///
/// A reader takes a ``Ticket`` before it reads a session from the database. It may insert the session only if nothing
/// was removed in the meantime. Otherwise a session that ended between the two steps would be cached as live.
///
/// An unwritten use of a session is kept in its entry. When the entry is evicted, the use moves to ``UnwrittenUses``.
final class SessionCache: Sendable {
    /// The state of one part of the cache before a read of the database.
    struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    /// The number of parts. Each part has its own lock.
    static let partCount = 16

    private let parts: [Part]
    private let lifetime: SessionLifetime
    private let evictedUses: UnwrittenUses
    private let removalAction = Mutex<(@Sendable () -> Void)?>(nil)

    /// Creates an empty cache for at most `capacity` sessions, rounded down to a multiple of 32 and at least 32.
    ///
    /// `evictedUses` receives the unwritten uses of evicted entries.
    init(lifetime: SessionLifetime, capacity: Int = 196_608, evictedUses: UnwrittenUses = UnwrittenUses()) {
        self.lifetime = lifetime
        self.evictedUses = evictedUses
        parts = (0..<Self.partCount).map { _ in Part(generationCapacity: max(1, capacity / Self.partCount / 2)) }
    }

    /// The number of cached sessions.
    var count: Int { parts.reduce(0) { $0 + $1.state.withLock { $0.count } } }

    /// Returns the session of a token and records its use at `now`, at most once a minute. Returns nil when the session
    /// is not cached or has expired.
    func use(_ digest: SHA256Digest, at now: Date) -> Session? {
        part(digest).state.withLock { state in
            guard let entry = state.find(digest, evictingInto: evictedUses) else { return nil }
            guard now < entry.livesUntil else {
                // The uses took place before the session expired, so they must still be written.
                state.remove(digest)?.moveUses(to: evictedUses)
                return nil
            }
            if entry.recordUse(at: now, sliding: lifetime.sliding) { state.record(entry) }
            return entry.session
        }
    }

    /// Returns the ticket for ``insert(_:_:lastUsed:livesUntil:hasUnwrittenUse:ticket:)``. It must be taken before the
    /// database is read.
    func ticket(for digest: SHA256Digest) -> Ticket {
        Ticket(removals: part(digest).state.withLock { $0.removals })
    }

    /// Inserts a session, unless something was removed since the ticket was taken.
    ///
    /// - Parameters:
    ///   - digest: The hash of the session's token.
    ///   - session: The session. Its expiry is the one on disk.
    ///   - lastUsed: When its use was last recorded.
    ///   - livesUntil: When the session expires, including recorded uses that are not yet on disk.
    ///   - hasUnwrittenUse: Whether the use at `lastUsed` is not yet written.
    ///   - ticket: The ticket that was taken before the session was read.
    func insert(
        _ digest: SHA256Digest, _ session: Session, lastUsed: Date, livesUntil: Date, hasUnwrittenUse: Bool = false,
        ticket: Ticket
    ) {
        part(digest).state.withLock { state in
            guard state.removals == ticket.removals else {
                // The use is real even if the session may not be cached.
                if hasUnwrittenUse { evictedUses.record(digest, at: lastUsed) }
                return
            }
            // A concurrent request may have cached the same session, with a use that is not written yet.
            state.remove(digest)?.moveUses(to: evictedUses)
            state.insert(
                CachedSession(
                    digest, session, lastUsed: lastUsed, livesUntil: livesUntil, hasUnwrittenUse: hasUnwrittenUse),
                evictingInto: evictedUses)
        }
    }

    /// Updates the expiry of a session after it was written to disk.
    func extend(_ digest: SHA256Digest, to expires: Date) {
        part(digest).state.withLock { $0.find(digest, evictingInto: evictedUses)?.extend(to: expires) }
    }

    /// Sets the action that is called after every removal, which may be the end of a session.
    func onRemoval(_ action: @escaping @Sendable () -> Void) {
        removalAction.withLock { $0 = action }
    }

    private func reportRemoval() {
        removalAction.withLock { $0 }?()
    }

    private func part(_ digest: SHA256Digest) -> Part { parts[Self.index(digest)] }

    private static func index(_ digest: SHA256Digest) -> Int { Int(digest.leadingWord % UInt64(partCount)) }

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
            // Moved, or the removed entry would stay in the list of unwritten uses. An ended session is not extended.
            state.remove(digest)?.moveUses(to: evictedUses)
        }
        reportRemoval()
    }

    /// Removes all sessions of a person. Scans every entry, which is acceptable because it is rare.
    func remove(person: UUID) {
        for part in parts {
            part.state.withLock { state in
                state.removals += 1
                state.removeAll { entry in
                    guard entry.isOf(person) else { return false }
                    // After a change of the person the session is still live, and its uses extend it.
                    entry.moveUses(to: evictedUses)
                    return true
                }
            }
        }
        reportRemoval()
    }

    /// Removes everything.
    func removeAll() {
        for part in parts {
            part.state.withLock { state in
                state.removals += 1
                state.removeAll { entry in
                    // The session may still be live, and its uses extend it.
                    entry.moveUses(to: evictedUses)
                    return true
                }
            }
        }
        reportRemoval()
    }
}

extension SessionCache {
    /// Returns the unwritten uses in the entry of a session.
    func pending(_ digest: SHA256Digest) -> UnwrittenUses.Use? {
        part(digest).state.withLock { $0.entry(digest)?.unwrittenUse }
    }

    /// The uses that are not in the database. They are kept until ``written(_:)`` is called.
    var unwrittenUses: [UnwrittenUses.UnwrittenUse] {
        parts.flatMap { part in
            part.state.withLock { state in
                state.unwritten.compactMap { entry in entry.unwrittenUse.map { (entry.digest, $0) } }
            }
        }
    }

    /// Removes uses that were written. If a session was used again in the meantime, that use is kept.
    func written(_ written: [UnwrittenUses.UnwrittenUse]) {
        for (index, written) in Dictionary(grouping: written, by: { Self.index($0.digest) }) {
            parts[index].state.withLock { state in
                for (digest, use) in written { state.entry(digest)?.written(use) }
                state.removeWritten()
            }
        }
    }
}
