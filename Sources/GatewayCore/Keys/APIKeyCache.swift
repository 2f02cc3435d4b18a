import Crypto
import FoundationEssentials
import Synchronization

/// A cache of API keys by the hash of their text, so that a request needs no database read.
///
/// The cache never reports that a key is invalid: when a key is not cached, the database is read. A reader takes a
/// ``Ticket`` before it reads a key from the database. It may insert the key only if nothing was removed in the
/// meantime. Otherwise a key that was revoked between the two steps would be cached as live.
///
/// The size is bounded by two generations of entries, as in ``RequestLimit``.
final class APIKeyCache: Sendable {
    /// The state of the cache before a read of the database.
    struct Ticket: Sendable {
        fileprivate let removals: Int
    }

    fileprivate struct Entry {
        let key: KnownAPIKey
        var lastUsed: Date
    }

    fileprivate struct State {
        var young: [SHA256Digest: Entry] = [:]
        var old: [SHA256Digest: Entry] = [:]
        /// Uses that are not yet written, by the id of the key.
        var uses: [UUID: Date] = [:]
        var removals = 0
    }

    /// The minimum time between two recorded uses of a key, in seconds.
    static let interval = 60.0

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty cache for about twice as many keys as `capacity`.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// The number of cached keys.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Returns the key with this hash and records its use at `now`. Returns nil when the key is not cached or has
    /// expired.
    func use(_ digest: SHA256Digest, at now: Date) -> KnownAPIKey? {
        state.withLock { state in
            guard var entry = state.young[digest] ?? state.old.removeValue(forKey: digest) else { return nil }
            guard entry.key.isLive(at: now) else {
                state.young[digest] = nil
                return nil
            }
            if now.timeIntervalSince(entry.lastUsed) >= Self.interval {
                entry.lastUsed = now
                state.uses[entry.key.id] = now
            }
            state.store(entry, under: digest, capacity)
            return entry.key
        }
    }

    /// A ticket for ``insert(_:_:lastUsed:at:ticket:)``. It must be taken before the database is read.
    var ticket: Ticket { Ticket(removals: state.withLock { $0.removals }) }

    /// Inserts a key that is used at `now`, unless something was removed since the ticket was taken. The use is
    /// recorded in any case.
    func insert(_ digest: SHA256Digest, _ key: KnownAPIKey, lastUsed: Date?, at now: Date, ticket: Ticket) {
        state.withLock { state in
            var last = max(lastUsed ?? .distantPast, state.uses[key.id] ?? .distantPast)
            if now.timeIntervalSince(last) >= Self.interval {
                last = now
                state.uses[key.id] = now
            }
            // The use is real even if the key may not be cached.
            guard state.removals == ticket.removals else { return }
            state.store(Entry(key: key, lastUsed: last), under: digest, capacity)
        }
    }

    /// Removes the keys for which `isGoing` returns true. Scans every entry, which is acceptable because it is rare.
    func remove(where isGoing: (KnownAPIKey) -> Bool) {
        state.withLock { state in
            state.removals += 1
            state.young = state.young.filter { !isGoing($0.value.key) }
            state.old = state.old.filter { !isGoing($0.value.key) }
        }
    }

    /// The unwritten uses. They are kept until ``written(_:)`` is called.
    var uses: [UUID: Date] { state.withLock { $0.uses } }

    /// Removes uses that were written, except those of keys that were used again in the meantime.
    func written(_ written: [(id: UUID, use: Date)]) {
        state.withLock { state in
            for (id, use) in written where state.uses[id] == use { state.uses[id] = nil }
        }
    }
}

extension APIKeyCache.State {
    fileprivate mutating func store(_ entry: APIKeyCache.Entry, under digest: SHA256Digest, _ capacity: Int) {
        if young[digest] == nil, young.count >= capacity {
            old = young
            young = [:]
        }
        young[digest] = entry
    }
}
