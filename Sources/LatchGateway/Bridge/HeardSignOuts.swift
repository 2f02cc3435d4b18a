import Crypto
import FoundationEssentials
import OpenIDConnect
import Synchronization

/// The logout tokens that were done as told, until they expire: the same one again, from whoever kept it, ends no session
/// that the person began since.
///
/// At most `capacity` are remembered, in memory; past that the one goes that expires first. Only tokens that a provider
/// signed come in here, so nobody else makes room.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.6, on `jti`.
final class HeardSignOuts: Sendable {
    private let capacity: Int
    private let now: @Sendable () -> Date
    private let ends = Mutex<[SHA256Digest: Date]>([:])

    /// Makes a memory without any.
    init(capacity: Int = 10_000, now: @escaping @Sendable () -> Date) {
        self.capacity = max(1, capacity)
        self.now = now
    }

    /// How many are remembered.
    var count: Int { ends.withLock { $0.count } }

    /// Whether the token was done as told already.
    func contains(_ token: LogoutToken, of provider: String) -> Bool {
        let (key, now) = (Self.key(token, provider), now())
        return ends.withLock { $0[key].map { now < $0 } ?? false }
    }

    /// Remembers a token that was done as told.
    func insert(_ token: LogoutToken, of provider: String) {
        let (key, now) = (Self.key(token, provider), now())
        ends.withLock { ends in
            if ends.count >= capacity { ends = ends.filter { now < $0.value } }
            if ends.count >= capacity, let first = ends.min(by: { $0.value < $1.value }) { ends[first.key] = nil }
            ends[key] = token.expires
        }
    }

    /// Ids are as long as a provider likes; what is kept of one is not.
    private static func key(_ token: LogoutToken, _ provider: String) -> SHA256Digest {
        SHA256.digest("\(provider)\n\(token.id)")
    }
}
