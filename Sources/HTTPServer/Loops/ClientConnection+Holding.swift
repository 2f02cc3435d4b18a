import CMicroHTTPD

/// Holding connections. A held connection is suspended in libmicrohttpd until bytes arrive. A connection is held while
/// its TLS handshake or its first request line waits for the client. It is also held while the server has no memory to
/// read from more connections.
///
/// With epoll, libmicrohttpd 0.9.75 treats a socket as readable until a read returns `EAGAIN`, and it ignores the
/// result of reads in the handshake. One client that stalls in its handshake would keep a core busy until its timeout.
/// libmicrohttpd also allocates a buffer for each connection that it reads from, and frees it only when the connection
/// ends.
extension ClientConnection {
    /// Holds the connection if it waits. Called after each run of its daemon.
    ///
    /// - Returns: Whether the connection needs no further check until it is released.
    func hold() -> Bool {
        guard phase == .fresh else {
            // A hold may have replaced the watch for the disconnection by one that reports only once.
            if phase != .closed, security.session != nil { watch(latch_epoll_hangup()) }
            return true
        }
        if let session = security.session {
            // Decrypted bytes raise no epoll event that would release the connection.
            guard !session.hasDecryptedBytes else { return false }
        } else if isRead {
            return true
        }
        isHeld = true
        MHD_suspend_connection(handle)
        // Not edge-triggered, so that bytes that arrived since the last read are reported too.
        let waitsToSend = security.session?.waitsToSend ?? false
        watch(waitsToSend ? latch_epoll_once_writable() : latch_epoll_once_readable())
        return true
    }

    /// Resumes a held connection when there is something to read and memory for it, or when it was shut down.
    func release() {
        // A connection that was shut down needs no memory, because its received bytes were discarded.
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
