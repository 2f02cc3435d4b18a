import CMicroHTTPD

/// A connection whose TLS handshake, or first request line, waits for the client is held: taken from libmicrohttpd until
/// bytes come.
///
/// libmicrohttpd 0.9.75 with epoll believes a socket readable until a read says otherwise, and does not look at what the
/// handshake's reads say: one client that stalls in its handshake would keep a core busy until its time is over.
extension ClientConnection {
    /// Holds the connection if it waits; after each run of its daemon.
    ///
    /// - Returns: Whether there is nothing more to look at before the connection is released.
    func hold() -> Bool {
        guard let session = security.session, phase != .closed else { return true }
        guard phase == .fresh else {
            watch(latch_epoll_hangup())
            return true
        }
        guard !session.hasDecryptedBytes else { return false }
        isHeld = true
        MHD_suspend_connection(handle)
        // Not edge-triggered: what has come since the last read counts.
        watch(session.waitsToSend ? latch_epoll_once_writable() : latch_epoll_once_readable())
        return true
    }

    /// Gives a held connection back: there is something to read, or it was shut down.
    func release() {
        guard isHeld else { return }
        isHeld = false
        MHD_resume_connection(handle)
        daemon.needsRun = true
        if phase == .fresh { daemon.handshakes.append(self) }
    }

    private func watch(_ events: UInt32) {
        _ = latch_epoll_change(daemon.loop.epoll, descriptor, events, UInt64(UInt32(bitPattern: descriptor)))
    }
}
