import CLibrary
import CMicroHTTPD
import HTTPMessages

/// One accepted connection and the deadline of its current state.
final class ClientConnection: @unchecked Sendable {  // Used only on the loop's thread.
    /// A state of a connection.
    enum Phase {
        /// The state after the connection was accepted, until the first request line.
        case fresh
        /// The state after a response was sent, until the next request line.
        case idle
        /// The state after a request line, until the head is complete.
        case head
        /// The state after the head, until the body is complete.
        case body
        /// The state after the request is complete, until there is a response. It has no deadline.
        case handling
        /// The state once there is a response, until the client has received it.
        case sending
        /// The state after a part of a response was sent, until its producer has more bytes. It has no deadline.
        case producing
        /// The state after an upgrade. The ``WebSocketConnection`` has the deadlines.
        case upgraded
        /// The state after a refusal was sent without libmicrohttpd. Further bytes from the client are ignored.
        case lingering
        /// The state after this server closed the connection. libmicrohttpd detects it later.
        case closed
    }

    let descriptor: Int32
    let peer: PeerAddress
    let security: ConnectionSecurity
    let daemon: Daemon
    var index = 0
    var exchange: Exchange?
    private(set) var phase = Phase.fresh
    private(set) var deadline: UInt64
    private var peerEnded = false
    /// When the body must be complete, and how much of it had arrived when its rate was last checked.
    private var body: (end: UInt64, seen: Int) = (.max, 0)
    var progress: SendingProgress?
    let handle: OpaquePointer
    var isHeld = false
    /// Whether libmicrohttpd reads from the connection and therefore keeps a buffer for it until it ends.
    var isRead = false
    /// Whether the upgrade of the connection has ended.
    var isEndingUpgrade = false
    /// Whether the end of this connection ends a connection of its address. False after a WebSocket connection has taken
    /// its place.
    var isCounted = true
    /// Whether the connection has bytes to read and waits for memory.
    var isWaiting = false

    init(
        descriptor: Int32, peer: PeerAddress, security: ConnectionSecurity, daemon: Daemon, handle: OpaquePointer
    ) {
        self.handle = handle
        self.descriptor = descriptor
        self.peer = peer
        self.security = security
        self.daemon = daemon
        deadline = daemon.loop.now + daemon.loop.settings.headerTimeout
    }

    func enter(_ phase: Phase) {
        let settings = daemon.loop.settings
        let now = daemon.loop.now
        switch phase {
        // The timeout of the first head starts when the connection is accepted.
        case .head: if self.phase != .fresh { deadline = now + settings.headerTimeout }
        case .idle: deadline = now + settings.idleTimeout
        case .sending:
            // Earlier than the timeout, because expire() then checks the progress and sets the next deadline.
            deadline = now + settings.progressInterval
            progress = nil
        case .body:
            body = (now + settings.bodyTimeout, exchange?.bodyCount ?? 0)
            deadline = min(body.end, now + settings.bodyInterval)
        case .lingering: deadline = now + settings.lingerTimeout
        case .fresh, .handling, .producing, .upgraded, .closed: deadline = .max
        }
        self.phase = phase
        // Closed at the end of a turn, because the next request may already have arrived.
        if phase == .idle, peerEnded || daemon.loop.isStopping { daemon.loop.ended.append(self) }
        // The disconnection is handled only once, and may have come before the request was complete.
        if phase == .handling, peerEnded { exchange?.clientDisconnected() }
    }

    func setDeadline(_ deadline: UInt64) {
        self.deadline = deadline
    }

    /// Extends the deadline by the time for which the loop was delayed.
    func postponeDeadline(by delay: UInt64) {
        if deadline != .max { deadline += delay }
        if phase == .body { body.end += delay }
    }

    /// Handles the end of the client's sending direction. A running handler is cancelled, and an incomplete request
    /// stays incomplete. Complete requests that have already arrived still get a response.
    func peerHasEnded() {
        guard !peerEnded else { return }
        peerEnded = true
        if phase == .handling || phase == .producing { exchange?.clientDisconnected() }
        daemon.loop.ended.append(self)
    }

    /// Whether to wait for the producer of a body.
    var mayWaitForBody: Bool { !peerEnded && phase != .closed }

    /// Closes a connection whose client has disconnected, or that has served its last request before the server stops.
    /// Remaining bytes are read and sent first.
    ///
    /// - Returns: Whether no further check is needed. A connection that is still sending is added again when it becomes
    ///   idle.
    func closeIfEnded() -> Bool {
        switch phase {
        case .handling, .sending, .producing, .upgraded, .closed: return true
        case .head where !peerEnded, .body where !peerEnded: return true
        case .fresh, .idle, .head, .body, .lingering:
            guard !hasMoreToRead else { return false }
            shutDown()
            return true
        }
    }

    /// Records that libmicrohttpd has closed the descriptor, which may soon be reused for another connection.
    func wasRemoved() {
        phase = .closed
    }

    /// Handles the end of a timeout. Sends an error if the client is in the middle of a request, and closes the
    /// connection.
    func expire() {
        if phase == .sending, isProgressing() { return }
        if phase == .body, isReceiving() { return }
        if phase == .head || phase == .body {
            exchange?.respondDirectly(
                Refusal(status: .requestTimeout, message: "The request took too long to arrive."))
        }
        shutDown()
    }

    /// Whether the body still arrives fast enough. Sets the next deadline then.
    private func isReceiving() -> Bool {
        let (settings, now, count) = (daemon.loop.settings, daemon.loop.now, exchange?.bodyCount ?? 0)
        guard now < body.end, count - body.seen >= settings.minimumBodyBytes else { return false }
        body.seen = count
        deadline = min(body.end, now + settings.bodyInterval)
        return true
    }

    /// When the client began to send its head, or could have begun.
    var headStart: UInt64 { deadline &- daemon.loop.settings.headerTimeout }

    /// Closes a connection whose head is incomplete, because others need its memory.
    func refuseForMemory() {
        exchange?.refuseForMemory()
        shutDown()
    }

    func closeIfIdle() {
        guard phase == .fresh || phase == .idle else { return }
        // A request that has arrived but was not read yet is still handled.
        if !hasMoreToRead { shutDown() }
    }

    /// Whether bytes have arrived that libmicrohttpd has not read: in the socket, or already decrypted.
    private var hasMoreToRead: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
            || security.session?.hasDecryptedBytes ?? false
    }

    /// Closes the connection in any state and cancels its handler.
    func abort() {
        exchange?.clientDisconnected()
        shutDown()
    }

    /// Closes both directions. To libmicrohttpd, this looks like a client that disconnects, and it cleans up.
    func shutDown() {
        guard phase != .closed else { return }
        // Only between two responses: in the middle of a response, the client must detect that it is incomplete.
        if phase == .idle, let session = security.session { session.sendCloseNotify() }
        enter(.closed)
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        if !isRead { discardReceived() }
        // libmicrohttpd does not check a suspended connection, so a held one must be resumed to be cleaned up.
        release()
    }

    /// Discards the received bytes, so that libmicrohttpd needs no memory to detect the end of a connection from which
    /// it has never read.
    ///
    /// Source: tcp(7), `MSG_TRUNC`.
    private func discardReceived() {
        // A client that continues to send must not keep the loop busy.
        for _ in 0..<8 where recv(descriptor, nil, 1 << 30, Int32(MSG_TRUNC | MSG_DONTWAIT)) <= 0 { return }
    }
}
