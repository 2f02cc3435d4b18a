import CMicroHTTPD

/// The progress of a client in receiving a response, at the last check.
struct SendingProgress {
    var mark: UInt64
    var since: UInt64
}

/// Checks the progress of long responses. A response may take any time as long as the client accepts a part of it in
/// every ``EventLoop/Settings/idleTimeout``.
extension ClientConnection {
    /// Returns whether the client is still receiving the response, and sets the time of the next check.
    ///
    /// - Returns: False when the client has accepted nothing for too long.
    func isProgressing() -> Bool {
        let now = daemon.loop.now
        let settings = daemon.loop.settings
        // The first is unknown for a Unix socket. The second stays 0 for a file that the system sends.
        let mark = (confirmedBytes ?? 0) &+ UInt64(exchange?.outgoingBody?.handedOver ?? 0)
        if progress?.mark != mark { progress = SendingProgress(mark: mark, since: now) }
        let end = (progress?.since ?? now) + settings.idleTimeout
        guard now < end else { return false }
        setDeadline(min(now + settings.progressInterval, end))
        return true
    }

    /// The number of bytes that the client's system has confirmed since the connection was accepted. Nil except for
    /// TCP.
    var confirmedBytes: UInt64? { transport?.confirmed }

    /// The number of bytes that were passed to the system for the client since the connection was accepted. Nil except
    /// for TCP.
    var writtenBytes: UInt64? { transport.map { $0.confirmed &+ $0.queued } }

    private var transport: (confirmed: UInt64, queued: UInt64)? {
        guard peer != .unix else { return nil }
        var confirmed: UInt64 = 0
        var queued: UInt64 = 0
        return latch_tcp_progress(descriptor, &confirmed, &queued) == 0 ? (confirmed, queued) : nil
    }

    /// Closes the connection when the file of its response has become too short.
    func endIfCutShort() {
        guard phase == .sending, let exchange, exchange.outgoingBody?.isCutShort == true else { return }
        daemon.loop.settings.onLog(
            ServerEvent(
                level: .warning, message: "A file became shorter while it was being sent: the connection was closed.",
                metadata: ["request": exchange.id, "route": exchange.route ?? "-"]))
        shutDown()
    }
}
