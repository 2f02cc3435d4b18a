import Synchronization

/// Logs refusals of one kind, with their number, at most once a minute. There may be thousands of them.
final class RefusalNotice: Sendable {
    private struct State {
        var next: UInt64 = 0
        var count = 0
    }

    private static let interval: UInt64 = 60_000_000_000
    private let message: String
    private let counted: String
    private let state = Mutex(State())

    /// Creates a notice.
    ///
    /// - Parameters:
    ///   - message: What is refused, and why.
    ///   - counted: The name of the number of refusals in the log.
    init(_ message: String, counted: String) { (self.message, self.counted) = (message, counted) }

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
                level: .warning, message: message, metadata: ["peer": peer.address, counted: String(count)]))
    }
}
