public import Crypto
public import FoundationEssentials
import Synchronization

/// One-time codes in the memory of one gateway.
///
/// It never holds more than its capacity. Records stand in two halves, the young and the old; when the young half is full
/// it becomes the old one and what was old is dropped, so a flood costs the longest waiting their codes and nobody any
/// memory. A half whose records have all expired is dropped as a whole.
///
/// Source: OX-4.
public final class MemoryCodeStore: CodeStore {
    private struct Half {
        var records: [SHA256Digest: (bytes: [UInt8], expires: Date)] = [:]
        var firstExpiry = Date.distantFuture
        var lastExpiry = Date.distantPast

        func holds(_ key: SHA256Digest, at now: Date) -> Bool {
            records[key].map { now < $0.expires } ?? false
        }

        mutating func insert(_ record: [UInt8], under key: SHA256Digest, until expires: Date) {
            records[key] = (record, expires)
            firstExpiry = min(firstExpiry, expires)
            lastExpiry = max(lastExpiry, expires)
        }
    }

    private struct State {
        var young = Half()
        var old = Half()

        mutating func dropExpired(at now: Date) {
            if old.lastExpiry <= now { old = Half() }
            if young.lastExpiry <= now { young = Half() }
            // What has expired among the young ages with the rest, as soon as there is room for it.
            if young.firstExpiry <= now, old.records.isEmpty {
                old = young
                young = Half()
            }
        }
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let now: @Sendable () -> Date

    /// Makes an empty store.
    ///
    /// - Parameters:
    ///   - capacity: The most records, 16,384 by default: 270 sign-ins a second that nobody completes.
    ///   - now: The clock that expiry is reckoned by.
    public init(capacity: Int = 16_384, now: @escaping @Sendable () -> Date = { Date() }) {
        self.capacity = max(2, capacity)
        self.now = now
    }

    /// How many records are in memory, expired ones that were not dropped yet among them.
    public var count: Int { state.withLock { $0.young.records.count + $0.old.records.count } }

    /// Keeps a record; see ``CodeStore``.
    public func keep(
        _ record: [UInt8], under key: SHA256Digest, for lifetime: Duration
    ) throws(GatewayError) {
        let now = now()
        try state.withLock { state throws(GatewayError) in
            if state.young.holds(key, at: now) || state.old.holds(key, at: now) { throw .codeExists }
            state.dropExpired(at: now)
            if state.young.records.count >= capacity / 2 {
                state.old = state.young
                state.young = Half()
            }
            state.young.insert(record, under: key, until: now + lifetime)
        }
    }

    /// Takes a record out; see ``CodeStore``.
    public func take(_ key: SHA256Digest) -> [UInt8]? {
        let now = now()
        let found = state.withLock { state in
            // A key kept twice must not be found a second time.
            let old = state.old.records.removeValue(forKey: key)
            return state.young.records.removeValue(forKey: key) ?? old
        }
        guard let found, now < found.expires else { return nil }
        return found.bytes
    }

    /// Drops what has expired; see ``CodeStore``.
    public func sweep() {
        let now = now()
        state.withLock { $0.dropExpired(at: now) }
    }
}
