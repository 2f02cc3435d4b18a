import CMicroHTTPD

/// How far a client has come with an answer, as last looked at.
struct SendingProgress {
    var mark: UInt64
    var since: UInt64
}

/// A long answer may take as long as it takes, while the client takes something of it in every ``EventLoop/Settings/idleTimeout``.
extension ClientConnection {
    /// Looks whether the client has taken anything since the last look, and when to look again.
    ///
    /// - Returns: False when it has taken nothing for too long.
    func isProgressing() -> Bool {
        let now = daemon.loop.now
        let settings = daemon.loop.settings
        let mark = (confirmedBytes ?? 0) &+ UInt64(exchange?.answerBody?.handedOver ?? 0)
        if progress?.mark != mark { progress = SendingProgress(mark: mark, since: now) }
        let end = (progress?.since ?? now) + settings.idleTimeout
        guard now < end else { return false }
        setDeadline(min(now + settings.progressInterval, end))
        return true
    }

    /// What the client's system has confirmed since the connection was accepted; nil but for TCP.
    var confirmedBytes: UInt64? { transport?.confirmed }

    /// What was given to the system for the client since the connection was accepted; nil but for TCP.
    var writtenBytes: UInt64? { transport.map { $0.confirmed &+ $0.queued } }

    private var transport: (confirmed: UInt64, queued: UInt64)? {
        guard peer != .unix else { return nil }
        var confirmed: UInt64 = 0
        var queued: UInt64 = 0
        return latch_tcp_progress(descriptor, &confirmed, &queued) == 0 ? (confirmed, queued) : nil
    }

    /// Ends an answer whose file no longer has the bytes that were promised.
    func endIfCutShort() {
        guard phase == .sending, let exchange, exchange.answerBody?.isCutShort == true else { return }
        daemon.loop.settings.onLog(
            ServerEvent(
                level: .warning, message: "A file became shorter while it was sent: its connection was ended.",
                metadata: ["request": exchange.id, "route": exchange.route ?? "-"]))
        shutDown()
    }
}
