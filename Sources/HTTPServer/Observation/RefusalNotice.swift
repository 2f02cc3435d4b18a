import Synchronization

/// Logs refused plain HTTP requests, with their number, at most once a minute. There may be thousands of them.
final class RefusalNotice: Sendable {
    private struct State {
        var next: UInt64 = 0
        var count = 0
    }

    private static let interval: UInt64 = 60_000_000_000
    private let state = Mutex(State())

    func record(_ peer: PeerAddress, now: UInt64, _ onLog: (ServerEvent) -> Void) {
        let count: Int? = state.withLock { state in
            state.count += 1
            guard state.next <= now else { return nil }
            state.next = now + Self.interval
            defer { state.count = 0 }
            return state.count
        }
        guard let count else { return }
        onLog(
            ServerEvent(
                level: .warning,
                message: "Plain HTTP requests were refused: they came neither from this machine nor from a trusted "
                    + "proxy.",
                metadata: ["peer": peer.address, "requests": String(count)]))
    }
}
