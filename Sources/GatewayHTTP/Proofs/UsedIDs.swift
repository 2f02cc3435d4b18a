package import Crypto
package import FoundationEssentials
import GatewayCore
package import HTTPMessages
import Primitives
package import SignInBridge
import Synchronization

/// The memory of the ids of proofs or assertions that were used, which gateways share as they share one-time codes.
///
/// It holds the hashes of ids for as long as they could be used again. When a gateway has recorded too many that could,
/// of one ``User`` or of all, it refuses further ones, because forgetting one would allow its repetition.
///
/// Source: RFC 9449 §11.1; RFC 7523 §3.
package final class UsedIDs: Sendable {
    /// Whose share of the memory an id takes.
    package enum User: Hashable, Sendable {
        /// A client that an administrator added and that has authenticated with the id: a sixteenth.
        case client(String)
        /// A person with a token or a sign-in: an eighth.
        case person(UUID)
        /// An address, where no person is known, or a client that registered itself has authenticated: its
        /// ``AddressKey/share(of:)``, and half for all addresses together, so that people with tokens and the clients of
        /// administrators always have the other half.
        case address(AddressKey)
    }

    /// The maximum number of ids that one gateway remembers at a time.
    package static let capacity = 524_288
    /// The number of intervals in which the lifetime is counted.
    private static let intervals = 64.0

    /// A part of the memory with a maximum of its own.
    fileprivate enum Share: Hashable {
        case user(User), addresses

        /// The shares that an id of a user takes.
        static func all(of user: User?) -> [Share] {
            guard case .address(let key) = user else { return user.map { [.user($0)] } ?? [] }
            return key.all.map { .user(.address($0)) } + [.addresses]
        }

        func maximum(of capacity: Int) -> Int {
            switch self {
            case .user(.client): max(1, capacity / 16)
            case .user(.person): max(1, capacity / 8)
            case .user(.address(let key)): key.share(of: capacity)
            case .addresses: max(1, capacity / 2)
            }
        }
    }

    /// The number of ids by the interval in which they are forgotten.
    fileprivate struct Tally {
        private var counts: [Int: Int] = [:]
        private(set) var total = 0

        mutating func change(by step: Int, in interval: Int) {
            total += step
            counts[interval, default: 0] += step
        }

        mutating func forget(before interval: Int) {
            for key in counts.keys where key < interval { total -= counts.removeValue(forKey: key) ?? 0 }
        }
    }

    fileprivate struct Tallies {
        var all = Tally()
        var shares: [Share: Tally] = [:]
    }

    private let store: any CodeStore
    private let lifetime: Duration
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let tallies = Mutex(Tallies())

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
    ///   - user: Whose share it takes. Nil for none.
    ///   - duration: How long the id could be used again. Nil for the lifetime of all.
    /// - Returns: False when the id was recorded before.
    /// - Throws: ``GatewayError/Code/busy`` when there are too many; errors of the store.
    package func record(
        _ key: SHA256Digest, of user: User? = nil, for duration: Duration? = nil
    ) async throws -> Bool {
        let life = duration.map { $0 + store.toleratedClockDifference } ?? lifetime
        let shares = Share.all(of: user)
        guard let interval = reserve(shares, for: life) else {
            throw GatewayError(.busy, "The gateway has got too many proofs or assertions; try again later.")
        }
        do {
            try await store.save([], under: key, for: life, of: nil)
            return true
        } catch let error as GatewayError where error.code == .codeExists {
            // The repetition takes no memory.
            tallies.withLock { $0.change(by: -1, in: interval, of: shares) }
            return false
        }
    }

    /// Deletes ids that cannot be used again.
    package func sweep() async {
        let current = interval(of: now())
        tallies.withLock { tallies in
            for share in tallies.shares.keys { tallies.shares[share]?.forget(before: current) }
            tallies.shares = tallies.shares.filter { $0.value.total > 0 }
        }
        await store.sweep()
    }

    /// Counts an id until the end of the interval in which it is forgotten. Returns the interval, or nil without room.
    private func reserve(_ shares: [Share], for life: Duration) -> Int? {
        let now = now()
        let (current, last) = (interval(of: now), interval(of: now + life))
        return tallies.withLock { tallies in
            tallies.all.forget(before: current)
            guard tallies.all.total < capacity else { return nil }
            for share in shares {
                tallies.shares[share]?.forget(before: current)
                guard tallies.shares[share]?.total ?? 0 < share.maximum(of: capacity) else { return nil }
            }
            tallies.change(by: 1, in: last, of: shares)
            return last
        }
    }

    private func interval(of time: Date) -> Int {
        Int((time.timeIntervalSince1970 / lifetime.seconds * Self.intervals).rounded(.down))
    }
}

extension UsedIDs.Tallies {
    fileprivate mutating func change(by step: Int, in interval: Int, of shares: [UsedIDs.Share]) {
        all.change(by: step, in: interval)
        for share in shares { self.shares[share, default: UsedIDs.Tally()].change(by: step, in: interval) }
    }
}
