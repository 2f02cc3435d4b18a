import HTTPMessages
import Synchronization

/// Counts the connections of each address and network over all loops, so that none can use all of them.
final class ConnectionCounter: Sendable {
    private struct State {
        var counts: [AddressKey: Int] = [:]
        /// The earliest time of the next log message. Limits the messages for an address that keeps connecting.
        var nextNotice: UInt64 = 0
    }

    private static let noticeInterval: UInt64 = 60_000_000_000
    private let limit: Int
    private let networkLimit: Int
    private let counts: @Sendable (PeerAddress) -> Bool
    private let state = Mutex(State())

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - limit: The limit of one address. Wider networks have ``AddressKey/allowance`` times as many.
    ///   - networkLimit: The maximum of any network.
    ///   - counts: Returns whether a client is counted.
    init(limit: Int, networkLimit: Int, counts: @escaping @Sendable (PeerAddress) -> Bool) {
        self.limit = limit
        self.networkLimit = networkLimit
        self.counts = counts
    }

    /// Returns whether a client may open another connection.
    func admits(_ peer: PeerAddress, now: UInt64, _ onLog: (ServerEvent) -> Void) -> Bool {
        guard let key = key(of: peer) else { return true }
        let (isFull, isToldNow) = state.withLock { state in
            // Not counted yet: libmicrohttpd may fail to add the connection, and would then not report its end.
            guard hasReachedLimit(key, state.counts) else { return (false, false) }
            guard state.nextNotice <= now else { return (true, false) }
            state.nextNotice = now + Self.noticeInterval
            return (true, true)
        }
        if isToldNow {
            onLog(
                ServerEvent(
                    level: .warning,
                    message: "An address has reached its connection limit: new connections are closed. If it is a "
                        + "proxy, configure it as a trusted proxy.",
                    metadata: ["peer": peer.address, "limit": String(limit)]))
        }
        return !isFull
    }

    /// Adds an accepted connection to the count of its address.
    func add(_ peer: PeerAddress) {
        guard let key = key(of: peer) else { return }
        state.withLock { state in
            for key in key.all { state.counts[key, default: 0] += 1 }
        }
    }

    /// Removes an ended connection from the count of its address.
    func remove(_ peer: PeerAddress) {
        guard let key = key(of: peer) else { return }
        state.withLock { state in
            for key in key.all {
                let left = state.counts[key, default: 1] - 1
                state.counts[key] = left > 0 ? left : nil
            }
        }
    }

    private func hasReachedLimit(_ key: AddressKey, _ counts: [AddressKey: Int]) -> Bool {
        key.all.contains { key in
            let limit = key.allowance == 1 ? limit : min(limit * key.allowance, networkLimit)
            return counts[key, default: 0] >= limit
        }
    }

    /// The address by which a client is counted. Nil for one that is not counted.
    func key(of peer: PeerAddress) -> AddressKey? {
        guard let ip = peer.ip, counts(peer) else { return nil }
        return AddressKey(ip)
    }
}
