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
