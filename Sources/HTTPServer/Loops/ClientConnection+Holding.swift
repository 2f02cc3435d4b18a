import CMicroHTTPD

/// A connection is held, taken from libmicrohttpd until bytes come, while its TLS handshake or first request line waits for
/// the client; and while its server reads as many others as its memory allows.
///
/// libmicrohttpd 0.9.75 with epoll believes a socket readable until a read says otherwise, and does not look at what the
/// handshake's reads say: one client that stalls in its handshake would keep a core busy until its time is over. And it
/// keeps a buffer for each connection that it ever read from, which only the connection's end gives back.
extension ClientConnection {
    /// Holds the connection if it waits; after each run of its daemon.
    ///
    /// - Returns: Whether there is nothing more to look at before the connection is released.
    func hold() -> Bool {
        guard phase == .fresh else {
            if phase != .closed, security.session != nil { watch(latch_epoll_hangup()) }
            return true
        }
        if let session = security.session {
            guard !session.hasDecryptedBytes else { return false }
        } else if isRead {
            return true
        }
        isHeld = true
        MHD_suspend_connection(handle)
        // Not edge-triggered: what has come since the last read counts.
        let waitsToSend = security.session?.waitsToSend ?? false
        watch(waitsToSend ? latch_epoll_once_writable() : latch_epoll_once_readable())
        return true
    }

    /// Gives a held connection back: there is something to read and memory to read it, or it was shut down.
    func release() {
        guard isHeld, phase == .closed || isRead || daemon.loop.admit(self) else { return }
        isHeld = false
        MHD_resume_connection(handle)
        daemon.needsRun = true
        guard phase == .fresh else { return }
        if security.session == nil { watch(latch_epoll_hangup()) } else { daemon.handshakes.append(self) }
    }

    private func watch(_ events: UInt32) {
        _ = latch_epoll_change(daemon.loop.epoll, descriptor, events, UInt64(UInt32(bitPattern: descriptor)))
    }
}
