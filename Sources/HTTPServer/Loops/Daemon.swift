import CLibrary
import CMicroHTTPD

/// One libmicrohttpd daemon: one listener on one loop.
final class Daemon: @unchecked Sendable {  // Used only on the loop's thread once the loop runs.
    // Set directly after the daemon has started, before it can call back.
    private(set) var handle: OpaquePointer?
    // A strong reference in both directions, because it is read for every request. The loop releases its daemons when
    // it stops.
    let loop: EventLoop
    var needsRun = true
    /// Connections before their first request line that are not held now but may have to be.
    var handshakes: [ClientConnection] = []
    /// The number of connections whose upgrade has ended and which libmicrohttpd still has.
    var endingUpgrades = 0
    private(set) var isOpen = true
    private let descriptor: Int32
    private let limit: Int
    private var connectionCount = 0
    /// The number of connections that were accepted since the start.
    private var acceptedCount = 0
    private var isListening = true
    /// The time of the last log message about the connection limit. Limits the number of messages.
    private var limitLogged: UInt64?

    init(loop: EventLoop, descriptor: Int32, isTLS: Bool, limit: Int) throws(HTTPServerError) {
        self.loop = loop
        self.descriptor = descriptor
        self.limit = limit
        handle = latch_mhd_start(
            descriptor, isTLS ? TLSSession.priorities : nil, UInt32(clamping: limit), loop.settings.connectionMemory,
            Unmanaged.passUnretained(self).toOpaque(), acceptCallback, accessCallback, targetCallback, unescapeCallback,
            completedCallback, connectionCallback)
        guard handle != nil else {
            throw HTTPServerError(
                .system, "Could not start libmicrohttpd: it rejected its options or ran out of memory.")
        }
    }

    var epollDescriptor: Int32 { latch_mhd_epoll_descriptor(handle) }

    func countConnection(_ change: Int) {
        // At its limit, libmicrohttpd stops watching its listening socket, and resumes only in a later run.
        if connectionCount >= limit, change < 0 { needsRun = true }
        connectionCount += change
        if change > 0 { acceptedCount += change }
        if connectionCount >= limit, change > 0 { logLimit() }
    }

    private func logLimit() {
        let minute: UInt64 = 60_000_000_000
        if let limitLogged, loop.now &- limitLogged < minute { return }
        limitLogged = loop.now
        loop.settings.onLog(
            ServerEvent(
                level: .warning,
                message: "The connection limit is reached: new clients must wait. Raise the limit of open files.",
                metadata: ["limit": String(limit)]))
    }

    /// Prevents libmicrohttpd from polling repeatedly for bytes that clients have not sent yet.
    func holdHandshakes() {
        if !handshakes.isEmpty { handshakes.removeAll { $0.hold() } }
    }

    /// Lets the system drop the first packet of new connections to a TCP socket. Connections that are being opened are
    /// still accepted.
    func dropNewConnections() {
        if isListening, !isUnix { _ = latch_drop_new_connections(descriptor) }
    }

    /// Accepts some of the connections that wait in the system's queue, and closes the listening socket when none is left.
    ///
    /// - Returns: Whether the socket is closed. False also while the connection limit keeps connections waiting.
    func finishListening() -> Bool {
        guard isListening else { return true }
        // Refuses new connections to a Unix socket and keeps those in the queue. On TCP it would reset them.
        if isUnix { _ = shutdown(descriptor, Int32(SHUT_RD)) }
        let before = acceptedCount
        MHD_run(handle)
        // At the limit, the end of a connection causes the next run.
        if connectionCount < limit { needsRun = true }
        // A Unix socket that was shut down is always readable.
        let mayWait = isUnix ? acceptedCount > before || connectionCount >= limit : hasWaitingConnection
        if !mayWait { stopListening() }
        return !mayWait
    }

    private var isUnix: Bool { latch_is_unix_socket(descriptor) != 0 }

    /// Whether a connection waits in the queue of a TCP socket.
    private var hasWaitingConnection: Bool {
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) > 0
    }

    /// Closes the listening socket at once.
    func stopListening() {
        guard isListening else { return }
        isListening = false
        _ = MHD_quiesce_daemon(handle)
        // libmicrohttpd leaves the socket to the caller of MHD_quiesce_daemon.
        _ = CLibrary.close(descriptor)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        MHD_stop_daemon(handle)
    }

    /// Closes a daemon that never ran. Its socket stays open and belongs to its opener.
    func abandon() {
        // MHD_stop_daemon would close a socket on which it still listens.
        isListening = false
        _ = MHD_quiesce_daemon(handle)
        close()
    }
}

extension EventLoop {
    /// Adds a listening socket to this loop. Called before the thread starts.
    func listen(_ descriptor: Int32, isTLS: Bool, limit: Int) throws(HTTPServerError) {
        let daemon = try Daemon(loop: self, descriptor: descriptor, isTLS: isTLS, limit: limit)
        daemons.append(daemon)
        connectionShare += limit
        let tag = Self.daemonTag + UInt64(daemons.count - 1)
        guard latch_epoll_add(epoll, daemon.epollDescriptor, latch_epoll_readable(), tag) == 0 else {
            throw HTTPServerError(
                .system, "Could not watch a listening socket: \(HTTPServerError.reason(errno)).", systemError: errno)
        }
    }

    /// Closes the daemons after a failed start.
    func abandon() {
        for daemon in daemons { daemon.abandon() }
        daemons = []
    }
}
