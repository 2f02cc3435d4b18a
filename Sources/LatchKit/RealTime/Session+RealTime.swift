import Desktop
import FoundationEssentials
import HTTPClient
import Synchronization

/// The events of an account's server, and the changes of the connection to it.
///
/// Each iterator opens a connection of its own, makes a new one after a failure, and closes it when it is released. The
/// first iterator after a sign-in takes over the connection that the sign-in opened, with the updates since then. If
/// these are more than 16, it opens a connection instead, so its first update is ``RealTimeUpdate/connected``.
/// Up to 256 updates wait for a slow reader; then the oldest ones are discarded. A message of more than 256 KiB ends the
/// connection, and a new one is made.
///
/// Source: IM-6.
public struct RealTimeUpdates: AsyncSequence, Sendable {
    let session: Session
    let dialect: any RealTimeDialect
    /// The state of the network, when it is not that of the system.
    var network: AsyncStream<NetworkState>?
    var random: @Sendable () -> Double = { .random(in: 0...1) }

    private static let maximumWaiting = 256

    /// Opens a connection, or takes over that of the sign-in.
    public func makeAsyncIterator() -> AsyncThrowingStream<RealTimeUpdate, any Error>.Iterator {
        let opened = network == nil ? session.openedRealTime.withLock { $0.take() } : nil
        if let opened, opened.take() { return opened.updates.makeAsyncIterator() }
        return open().updates.makeAsyncIterator()
    }

    /// Opens a connection.
    ///
    /// - Parameter onFirst: Called once, with whether the first attempt connected.
    /// - Returns: The connection, which is closed when it is released.
    func open(onFirst: (@Sendable (Bool) -> Void)? = nil) -> OpenedRealTime {
        let (stream, continuation) = RealTimeConnection.Updates.makeStream(
            bufferingPolicy: .bufferingNewest(Self.maximumWaiting))
        let opened = OpenedRealTime(stream, hasReader: onFirst == nil)
        let connection = RealTimeConnection(
            session, dialect, network: network ?? session.accounts.network(), updates: continuation, of: opened,
            random: random, onFirst: onFirst)
        let starting = Task { await connection.start() }
        continuation.onTermination = { [weak opened] _ in
            opened?.finish()
            Task {
                await starting.value
                await connection.stop()
            }
        }
        return opened
    }
}

/// A real-time connection. It is closed when its updates are released.
final class OpenedRealTime: Sendable {
    let updates: RealTimeConnection.Updates
    /// The number of updates that wait for the first reader. Nil when there is a reader.
    private let unread: Mutex<Int?>
    private let hasEnded = Mutex(false)

    /// The number of updates that may wait for the first reader.
    static let maximumUnread = 16

    init(_ updates: RealTimeConnection.Updates, hasReader: Bool) {
        self.updates = updates
        unread = Mutex(hasReader ? nil : 0)
    }

    /// Takes the updates for a reader. Returns false when they have ended or were too many.
    func take() -> Bool {
        unread.withLock { unread in
            guard !hasEnded.withLock({ $0 }), unread ?? 0 <= Self.maximumUnread else { return false }
            unread = nil
            return true
        }
    }

    /// Records an update. Returns false when it is one too many for a connection without a reader.
    func record() -> Bool {
        unread.withLock { unread in
            guard let count = unread else { return true }
            unread = count + 1
            return count < Self.maximumUnread
        }
    }

    func finish() { hasEnded.withLock { $0 = true } }
}

extension Session {
    /// Returns the events of the server in the order in which it sends them.
    ///
    /// The sequence reconnects after a failure, with growing pauses from 1 second to 5 minutes, and waits while there is
    /// no network or while the lock of the device is locked. It throws ``LatchError/Code/sessionEnded`` or
    /// ``LatchError/Code/signedOut`` when the session ends, and a code of the secret store when the token cannot be
    /// read. When the server reports that it ended this session, or refuses the connection, the server is asked once
    /// whether the session is still valid.
    ///
    /// - Throws: ``LatchError/Code/notOffered`` when the server's family sends no events; see ``Capabilities/realTime``.
    ///
    /// Source: IM-6.
    public nonisolated func events() throws(LatchError) -> RealTimeUpdates {
        guard let dialect = dialect as? any RealTimeDialect else {
            throw LatchError(.notOffered, "\(server) speaks \(dialect.title), which sends no events to programs.")
        }
        return RealTimeUpdates(session: self, dialect: dialect)
    }

    /// Opens the real-time connection after a sign-in, and waits for its first attempt. The connection stays open until
    /// the session ends or is closed, or more than 16 updates wait for a reader.
    ///
    /// - Returns: Whether it is connected. False after `bound`, and when the task is cancelled; the attempt continues.
    ///
    /// Source: IM-6.
    func openRealTime(within bound: Duration) async -> Bool {
        guard let updates = try? events() else { return false }
        let (first, continuation) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let opened = updates.open { continuation.yield($0) }
        // Replacing an older one closes it.
        openedRealTime.withLock { $0 = opened }
        let timer = Task {
            try? await Task.sleep(for: bound)
            continuation.yield(false)
        }
        defer { timer.cancel() }
        return await first.first { _ in true } ?? false
    }

    /// Opens a WebSocket connection with the token, as a request is sent.
    ///
    /// - Throws: ``LatchError`` when there is no session or no connection; `CancellationError`.
    func openWebSocket(_ request: DialectRequest) async throws -> WebSocketUpgrade {
        let token = try await current()
        let transport = try await openTransport(for: token.token)
        do {
            return try await openWebSocket(request, token.token, by: transport)
        } catch let error as LatchError
            where transport.endpoints != nil && Self.transportFailures.contains(error.code)
        {
            guard let other = try await replacement(of: transport, token.token) else { throw error }
            return try await openWebSocket(request, token.token, by: other)
        }
    }

    private func openWebSocket(
        _ request: DialectRequest, _ token: Secret, by transport: Transport
    ) async throws -> WebSocketUpgrade {
        func open() async throws -> (upgrade: WebSocketUpgrade, url: String) {
            let message = try message(request, token, timeout: accounts.requestTimeout(), by: transport)
            let upgrade = try await LatchError.converting(transport.address) {
                try await transport.client.openWebSocket(message, maximumMessageBytes: Self.maximumMessageBytes)
            }
            return (upgrade, message.url)
        }
        let first = try await open()
        guard case .refused(let response) = first.upgrade, proofs.learn(from: response, to: first.url) else {
            return first.upgrade
        }
        return try await open().upgrade
    }

    private static let maximumMessageBytes = 256 << 10

    /// Returns the error for a server or proxy that refuses a real-time connection.
    nonisolated func refusedRealTime(_ response: ClientResponse) -> LatchError {
        switch dialect.authenticationOutcome(of: response, to: dialect.identity.path, at: server) {
        case .failing: failing(response)
        case .intercepted(let why):
            LatchError(.interceptedResponse, "The response did not come from \(server); \(why)\(Self.stays)")
        case .authenticated, .rejected:
            LatchError(
                .serverRefused, "\(server) refused a real-time connection (status \(response.status)).",
                status: response.status)
        }
    }
}
