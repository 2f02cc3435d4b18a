package import Crypto
package import FoundationEssentials
import GatewayCore
package import SignInBridge
import Synchronization

/// The memory of used proofs, which gateways share as they share one-time codes.
///
/// It holds the hashes of ids for as long as the proofs could be used again. When a gateway has recorded too many in that
/// time, it refuses further ones, because forgetting one would allow its repetition.
///
/// Source: RFC 9449 §11.1.
package final class UsedProofs: Sendable {
    /// The maximum number of proofs that one gateway records in the time for which it remembers them.
    package static let capacity = 524_288

    private struct Count {
        var start = Date.distantPast
        var current = 0
        var previous = 0
    }

    private let store: any CodeStore
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let count = Mutex(Count())

    /// Creates a memory.
    ///
    /// - Parameters:
    ///   - store: The store of the hashes. It must hold at least twice the capacity.
    ///   - capacity: The maximum number of proofs.
    ///   - now: The clock.
    package init(store: any CodeStore, capacity: Int = capacity, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.capacity = capacity
        self.now = now
    }

    /// How long a proof is remembered: as long as its time is accepted by any of the gateways.
    private var lifetime: Duration { ProofVerifier.tolerance * 2 + store.toleratedClockDifference }

    /// Records a proof. Returns false when it was recorded before.
    ///
    /// - Throws: ``GatewayError/Code/busy`` when there are too many; errors of the store.
    package func record(_ key: SHA256Digest) async throws -> Bool {
        guard reserve() else {
            throw GatewayError(.busy, "The gateway has got too many proofs of possession; try again in some minutes.")
        }
        do {
            try await store.save([], under: key, for: lifetime)
            return true
        } catch let error as GatewayError where error.code == .codeExists {
            return false
        }
    }

    /// Deletes expired proofs.
    package func sweep() async { await store.sweep() }

    /// Counts a proof, in intervals of the lifetime. The count of two intervals is at least that of the last lifetime.
    private func reserve() -> Bool {
        let (now, lifetime) = (now(), lifetime)
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
