package import Crypto
package import FoundationEssentials
package import GatewayCore
import Synchronization

/// A store of one-time codes in the memory of one gateway.
///
/// It never holds more records than its capacity. Records are in two halves, a young one and an old one. When the young
/// half is full, it replaces the old half, whose records are dropped. A flood therefore costs the oldest codes, and
/// never memory. A half is also dropped when all its records have expired.
///
/// Source: OX-4.
package final class MemoryCodeStore: CodeStore {
    private struct Generation {
        var records: [SHA256Digest: (bytes: [UInt8], expires: Date, owner: CodeOwner?)] = [:]
        /// The keys of the records of each owner, the oldest first.
        var keys: [CodeOwner: [SHA256Digest]] = [:]
        var firstExpiry = Date.distantFuture
        var lastExpiry = Date.distantPast

        func holds(_ key: SHA256Digest, at now: Date) -> Bool {
            records[key].map { now < $0.expires } ?? false
        }

        mutating func insert(_ record: [UInt8], under key: SHA256Digest, until expires: Date, of owner: CodeOwner?) {
            _ = remove(key)
            records[key] = (record, expires, owner)
            if let owner { keys[owner, default: []].append(key) }
            firstExpiry = min(firstExpiry, expires)
            lastExpiry = max(lastExpiry, expires)
        }

        mutating func remove(_ key: SHA256Digest) -> (bytes: [UInt8], expires: Date)? {
            guard let record = records.removeValue(forKey: key) else { return nil }
            if let owner = record.owner {
                keys[owner]?.removeAll { $0 == key }
                if keys[owner]?.isEmpty == true { keys[owner] = nil }
            }
            return (record.bytes, record.expires)
        }
    }

    private struct State {
        package var young = Generation()
        package var old = Generation()

        /// Removes the oldest record of an owner who has the maximum number.
        mutating func makeRoom(for owner: CodeOwner) {
            let (older, newer) = (old.keys[owner] ?? [], young.keys[owner] ?? [])
            guard older.count + newer.count >= CodeOwner.maximum else { return }
            if let first = older.first {
                _ = old.remove(first)
            } else if let first = newer.first {
                _ = young.remove(first)
            }
        }

        mutating func dropExpired(at now: Date) {
            if old.lastExpiry <= now { old = Generation() }
            if young.lastExpiry <= now { young = Generation() }
            // Expired records in the young half are dropped with that half, so it becomes the old one as soon as that
            // is empty.
            if young.firstExpiry <= now, old.records.isEmpty {
                old = young
                young = Generation()
            }
        }
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let now: @Sendable () -> Date

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of records. The default, 16,384, suffices for 270 unfinished sign-ins a second.
    ///   - now: The clock that determines expiry.
    package init(capacity: Int = 16_384, now: @escaping @Sendable () -> Date = { Date() }) {
        self.capacity = max(2, capacity)
        self.now = now
    }

    /// The number of records in memory, including expired ones that were not dropped yet.
    package var count: Int { state.withLock { $0.young.records.count + $0.old.records.count } }

    /// Stores a record; see ``CodeStore``.
    package func save(
        _ record: [UInt8], under key: SHA256Digest, for lifetime: Duration, of owner: CodeOwner?
    ) throws(GatewayError) {
        let now = now()
        try state.withLock { state throws(GatewayError) in
            if state.young.holds(key, at: now) || state.old.holds(key, at: now) { throw .codeExists }
            state.dropExpired(at: now)
            if let owner { state.makeRoom(for: owner) }
            if state.young.records.count >= capacity / 2 {
                state.old = state.young
                state.young = Generation()
            }
            state.young.insert(record, under: key, until: now + lifetime, of: owner)
        }
    }

    /// Returns a record and leaves it there; see ``CodeStore``.
    package func find(_ key: SHA256Digest) -> [UInt8]? {
        let now = now()
        let found = state.withLock { $0.young.records[key] ?? $0.old.records[key] }
        guard let found, now < found.expires else { return nil }
        return found.bytes
    }

    /// Removes a record and returns it; see ``CodeStore``.
    package func consume(_ key: SHA256Digest) -> [UInt8]? {
        let now = now()
        let found = state.withLock { state in
            // Removes the key from both halves, so that a key stored twice is not found a second time.
            let old = state.old.remove(key)
            return state.young.remove(key) ?? old
        }
        guard let found, now < found.expires else { return nil }
        return found.bytes
    }

    /// Drops expired records; see ``CodeStore``.
    package func sweep() {
        let now = now()
        state.withLock { $0.dropExpired(at: now) }
    }
}
