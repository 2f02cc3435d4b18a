import Crypto
import FoundationEssentials
import Synchronization

/// Keys by the hash of their text, so that a request costs no read of the database.
///
/// It never says that a key is not good: what is not here is asked of the database. A reader that fetched a key may put it in
/// only if nothing was removed meanwhile: it takes a ``Ticket`` before it reads, or a key revoked between the two would be
/// kept as live.
///
/// Bounded as ``RequestLimit`` is, in two generations.
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
        /// Uses that are not written yet, by the key's id.
        var uses: [UUID: Date] = [:]
        var removals = 0
    }

    /// A key's use is noted at most once in this many seconds.
    static let interval = 60.0

    private let capacity: Int
    private let state = Mutex(State())

    /// Makes an empty cache for about twice as many keys as `capacity`.
    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    /// How many keys are held.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// The key with this hash, used at `now`.
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
            state.keep(entry, under: digest, capacity)
            return entry.key
        }
    }

    /// The ticket that ``insert(_:_:lastUsed:at:ticket:)`` wants, to be taken before the database is read.
    var ticket: Ticket { Ticket(removals: state.withLock { $0.removals }) }

    /// Puts in a key that is used at `now`, unless something was removed since the ticket was taken; the use is noted in any
    /// case.
    func insert(_ digest: SHA256Digest, _ key: KnownAPIKey, lastUsed: Date?, at now: Date, ticket: Ticket) {
        state.withLock { state in
            var last = max(lastUsed ?? .distantPast, state.uses[key.id] ?? .distantPast)
            if now.timeIntervalSince(last) >= Self.interval {
                last = now
                state.uses[key.id] = now
            }
            guard state.removals == ticket.removals else { return }
            state.keep(Entry(key: key, lastUsed: last), under: digest, capacity)
        }
    }

    /// Removes the keys that `isGoing` says so of; looks at every one, which is right for something as rare.
    func remove(where isGoing: (KnownAPIKey) -> Bool) {
        state.withLock { state in
            state.removals += 1
            state.young = state.young.filter { !isGoing($0.value.key) }
            state.old = state.old.filter { !isGoing($0.value.key) }
        }
    }

    /// The uses noted and not yet written; they stay noted until ``written(_:)``.
    var uses: [UUID: Date] { state.withLock { $0.uses } }

    /// Forgets uses that were written, but those of keys that were used again meanwhile.
    func written(_ written: [(id: UUID, use: Date)]) {
        state.withLock { state in
            for (id, use) in written where state.uses[id] == use { state.uses[id] = nil }
        }
    }
}

extension APIKeyCache.State {
    fileprivate mutating func keep(_ entry: APIKeyCache.Entry, under digest: SHA256Digest, _ capacity: Int) {
        if young[digest] == nil, young.count >= capacity {
            old = young
            young = [:]
        }
        young[digest] = entry
    }
}
