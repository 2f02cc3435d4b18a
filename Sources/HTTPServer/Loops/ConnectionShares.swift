import Synchronization
import Wire

/// Counts the connections of each address over all loops, so that no one takes all of them.
final class ConnectionShares: Sendable {
    private struct State {
        var counts: [AddressKey: Int] = [:]
        /// When it was last told of: an address that tries again and again must not fill the log.
        var nextNotice: UInt64 = 0
    }

    private static let noticeInterval: UInt64 = 60_000_000_000
    private let limit: Int
    private let counts: @Sendable (PeerAddress) -> Bool
    private let state = Mutex(State())

    /// Makes the counts; `counts` says whose connections count.
    init(limit: Int, counts: @escaping @Sendable (PeerAddress) -> Bool) {
        self.limit = limit
        self.counts = counts
    }

    /// Whether a client may have one more.
    func admits(_ peer: PeerAddress, now: UInt64, _ onLog: (ServerEvent) -> Void) -> Bool {
        guard let key = key(of: peer) else { return true }
        let (isFull, isToldNow) = state.withLock { state in
            guard state.counts[key, default: 0] >= limit else { return (false, false) }
            guard state.nextNotice <= now else { return (true, false) }
            state.nextNotice = now + Self.noticeInterval
            return (true, true)
        }
        if isToldNow {
            onLog(
                ServerEvent(
                    level: .warning,
                    message:
                        "An address has as many connections as it may: further ones are closed. If it is a proxy, trust it.",
                    metadata: ["peer": peer.address, "limit": String(limit)]))
        }
        return !isFull
    }

    /// Counts a connection that was accepted.
    func add(_ peer: PeerAddress) {
        guard let key = key(of: peer) else { return }
        state.withLock { $0.counts[key, default: 0] += 1 }
    }

    /// Counts the end of one.
    func remove(_ peer: PeerAddress) {
        guard let key = key(of: peer) else { return }
        state.withLock { state in
            let left = state.counts[key, default: 1] - 1
            state.counts[key] = left > 0 ? left : nil
        }
    }

    private func key(of peer: PeerAddress) -> AddressKey? {
        guard let ip = peer.ip, counts(peer) else { return nil }
        return AddressKey(ip)
    }
}
