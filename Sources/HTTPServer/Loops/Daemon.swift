import CMicroHTTPD
import Glibc

/// One libmicrohttpd daemon: one listener on one loop.
final class Daemon: @unchecked Sendable {  // Only the loop's thread touches it once the loop runs.
    // Set right after the daemon has started, before it can call back.
    private(set) var handle: OpaquePointer?
    // Strong both ways, as it is read for every request; the loop lets its daemons go when it stops.
    let loop: EventLoop
    var needsRun = true
    /// Connections before their first request line that may have to be held and are not held now.
    var handshakes: [ClientConnection] = []
    private(set) var isOpen = true
    private let descriptor: Int32
    private let limit: Int
    private var connectionCount = 0
    private var isListening = true
    /// When the connection limit was last spoken of: a crowd that comes and goes must not fill the log.
    private var limitTold: UInt64?

    init(loop: EventLoop, descriptor: Int32, isTLS: Bool, limit: Int) throws(HTTPServerError) {
        self.loop = loop
        self.descriptor = descriptor
        self.limit = limit
        handle = latch_mhd_start(
            descriptor, isTLS ? TLSSession.priorities : nil, UInt32(clamping: limit), loop.settings.connectionMemory,
            Unmanaged.passUnretained(self).toOpaque(), acceptCallback, accessCallback, targetCallback, unescapeCallback,
            completedCallback, connectionCallback)
        guard handle != nil else {
            throw HTTPServerError(.system, "Could not start libmicrohttpd: it refused its options or found no memory.")
        }
    }

    var epollDescriptor: Int32 { latch_mhd_epoll_descriptor(handle) }

    func countConnection(_ change: Int) {
        // Full, libmicrohttpd stops watching its listening socket and takes it up again only in a later run.
        if connectionCount >= limit, change < 0 { needsRun = true }
        connectionCount += change
        if connectionCount >= limit, change > 0 { tellLimit() }
    }

    private func tellLimit() {
        let minute: UInt64 = 60_000_000_000
        if let limitTold, loop.now &- limitTold < minute { return }
        limitTold = loop.now
        loop.settings.onLog(
            ServerEvent(
                level: .warning,
                message: "The connection limit is reached: further clients wait. Raise the descriptor limit for more.",
                metadata: ["limit": String(limit)]))
    }

    /// Keeps libmicrohttpd from asking again and again for what clients have not sent yet.
    func holdHandshakes() {
        if !handshakes.isEmpty { handshakes.removeAll { $0.hold() } }
    }

    func stopListening() {
        guard isListening else { return }
        isListening = false
        _ = MHD_quiesce_daemon(handle)
        _ = Glibc.close(descriptor)
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        MHD_stop_daemon(handle)
    }

    /// Closes a daemon that never ran; its socket stays with who opened it.
    func abandon() {
        isListening = false
        _ = MHD_quiesce_daemon(handle)
        close()
    }
}

extension EventLoop {
    /// Serves a listening socket from this loop; before the thread starts.
    func listen(_ descriptor: Int32, isTLS: Bool, limit: Int) throws(HTTPServerError) {
        let daemon = try Daemon(loop: self, descriptor: descriptor, isTLS: isTLS, limit: limit)
        daemons.append(daemon)
        let tag = Self.daemonTag + UInt64(daemons.count - 1)
        guard latch_epoll_add(epoll, daemon.epollDescriptor, latch_epoll_readable(), tag) == 0 else {
            throw HTTPServerError(
                .system, "Could not watch a listening socket: \(HTTPServerError.reason(errno)).", systemError: errno)
        }
    }

    /// Takes back what a start that failed has done.
    func abandon() {
        for daemon in daemons { daemon.abandon() }
        daemons = []
    }
}
