package import Crypto
package import FoundationEssentials
import GatewayCore
package import SignInBridge
import Synchronization

/// The memory of the ids of proofs or assertions that were used, which gateways share as they share one-time codes.
///
/// It holds the hashes of ids for as long as they could be used again. When a gateway has recorded too many in that time,
/// it refuses further ones, because forgetting one would allow its repetition.
///
/// Source: RFC 9449 §11.1; RFC 7523 §3.
package final class UsedIDs: Sendable {
    /// The maximum number of ids that one gateway records in the time for which it remembers them.
    package static let capacity = 524_288

    private struct Count {
        var start = Date.distantPast
        var current = 0
        var previous = 0
    }

    private let store: any CodeStore
    private let lifetime: Duration
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let count = Mutex(Count())

    /// Creates a memory.
    ///
    /// - Parameters:
    ///   - store: The store of the hashes. It must hold at least twice the capacity.
    ///   - lifetime: How long an id could be used again, by the clock of any gateway.
    ///   - capacity: The maximum number of ids.
    ///   - now: The clock.
    package init(
        store: any CodeStore, lifetime: Duration, capacity: Int = capacity, now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.lifetime = lifetime + store.toleratedClockDifference
        self.capacity = capacity
        self.now = now
    }

    /// Records an id.
    ///
    /// - Parameters:
    ///   - key: The hash of the id.
    ///   - duration: How long the id could be used again. Nil for the lifetime of all.
    /// - Returns: False when the id was recorded before.
    /// - Throws: ``GatewayError/Code/busy`` when there are too many; errors of the store.
    package func record(_ key: SHA256Digest, for duration: Duration? = nil) async throws -> Bool {
        guard reserve() else {
            throw GatewayError(.busy, "The gateway has got too many proofs or assertions; try again later.")
        }
        do {
            try await store.save([], under: key, for: duration.map { $0 + store.toleratedClockDifference } ?? lifetime)
            return true
        } catch let error as GatewayError where error.code == .codeExists {
            // The repetition takes no memory.
            count.withLock { $0.current = max(0, $0.current - 1) }
            return false
        }
    }

    /// Deletes ids that cannot be used again.
    package func sweep() async { await store.sweep() }

    /// Counts an id, in intervals of the lifetime. The count of two intervals is at least that of the last lifetime.
    private func reserve() -> Bool {
        let now = now()
        return count.withLock { count in
            if now >= count.start + lifetime {
                count = Count(start: now, previous: now < count.start + lifetime * 2 ? count.current : 0)
            }
            guard count.current + count.previous < capacity else { return false }
            count.current += 1
            return true
        }
    }
}
