import CMicroHTTPD
import Glibc
import Wire

/// One accepted connection and how long it may stay in the state it is in.
final class ClientConnection: @unchecked Sendable {  // Only the loop's thread touches it.
    /// What the connection is doing.
    enum Phase {
        /// The state once accepted and until the first request line.
        case fresh
        /// The state once an answer is out and until the next request line.
        case idle
        /// The state once a request line is in and until the head is.
        case head
        /// The state once the head is in and until the body is.
        case body
        /// The state once the request is complete and until there is an answer; has no deadline.
        case handling
        /// The state once there is an answer and until the client has taken it.
        case sending
        /// The state once a part of an answer is out and until its producer has more; has no deadline.
        case producing
        /// The state once a refusal was sent past libmicrohttpd; what comes is dropped.
        case lingering
        /// The state once closed by us; libmicrohttpd will notice.
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
    var progress: SendingProgress?
    let handle: OpaquePointer
    var isHeld = false
    /// Whether libmicrohttpd reads from the connection, and so keeps a buffer for it until it ends.
    var isRead = false
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
        // The first head has its time from the moment the connection was accepted.
        case .head: if self.phase != .fresh { deadline = now + settings.headerTimeout }
        case .idle: deadline = now + settings.idleTimeout
        case .sending:
            deadline = now + settings.progressInterval
            progress = nil
        case .body: deadline = now + settings.bodyTimeout
        case .lingering: deadline = now + settings.lingerTimeout
        case .fresh, .handling, .producing, .closed: deadline = .max
        }
        self.phase = phase
        if phase == .idle, peerEnded || daemon.loop.isDraining { daemon.loop.ended.append(self) }
        if phase == .handling, peerEnded { exchange?.clientWentAway() }
    }

    func setDeadline(_ deadline: UInt64) {
        self.deadline = deadline
    }

    /// Gives the client as much more time as the loop was held up.
    func postponeDeadline(by delay: UInt64) {
        if deadline != .max { deadline += delay }
    }

    /// The client will send no more: nobody waits for a handler that still runs, and a request that is not complete
    /// never will be. Complete ones that are already here are still answered.
    func peerHasEnded() {
        guard !peerEnded else { return }
        peerEnded = true
        if phase == .handling || phase == .producing { exchange?.clientWentAway() }
        daemon.loop.ended.append(self)
    }

    /// Whether a body's producer is worth waiting for.
    var mayWaitForBody: Bool { !peerEnded && phase != .closed }

    /// Closes a connection whose client has ended, or that has served its last request before the server stops, unless
    /// there is something to read or send first.
    ///
    /// - Returns: Whether there is nothing more to look at; a connection that still sends comes back when it is idle.
    func settleEnd() -> Bool {
        switch phase {
        case .handling, .sending, .producing, .closed: return true
        case .head where !peerEnded, .body where !peerEnded: return true
        case .fresh, .idle, .head, .body, .lingering:
            guard !hasMoreToRead else { return false }
            shutDown()
            return true
        }
    }

    /// libmicrohttpd has closed the descriptor, which may soon be another's.
    func wasRemoved() {
        phase = .closed
    }

    /// The time is over: the client is told where it is in the middle of a request, and the connection ends.
    func expire() {
        if phase == .sending, isProgressing() { return }
        if phase == .head || phase == .body {
            exchange?.answerDirectly(
                Refusal(status: .requestTimeout, message: "The request took too long to arrive."))
        }
        shutDown()
    }

    func closeIfIdle() {
        guard phase == .fresh || phase == .idle else { return }
        // A request that has arrived but was not read yet is still served.
        if !hasMoreToRead { shutDown() }
    }

    /// Whether bytes have arrived that libmicrohttpd has not read: in the socket, or decrypted already.
    private var hasMoreToRead: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
            || security.session?.hasDecryptedBytes ?? false
    }

    /// Ends the connection, whatever it is doing, and cancels its handler.
    func abort() {
        exchange?.clientWentAway()
        shutDown()
    }

    /// Closes both directions; libmicrohttpd sees it as the client's end and cleans up.
    func shutDown() {
        guard phase != .closed else { return }
        // Between two records only: in the middle of an answer the client must see that it was cut off.
        if phase == .idle, let session = security.session { session.sayGoodbye() }
        enter(.closed)
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        if !isRead { discardReceived() }
        release()
    }

    /// Drops what the client has sent, so that libmicrohttpd needs no memory to see the end of a connection that it never read.
    ///
    /// Source: tcp(7), `MSG_TRUNC`.
    private func discardReceived() {
        // A client that goes on sending must not hold the loop.
        for _ in 0..<8 where recv(descriptor, nil, 1 << 30, Int32(MSG_TRUNC | MSG_DONTWAIT)) <= 0 { return }
    }
}
