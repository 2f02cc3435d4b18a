import CLibrary
import CMicroHTTPD
import Synchronization

extension EventLoop {
    /// Whether each response ends its connection, because the loop is about to stop.
    var isStopping: Bool { stopProgress != nil }

    /// Whether the loop accepts no more connections.
    var hasStoppedListening: Bool { if case .completing = stopProgress?.phase { true } else { false } }

    /// Begins to stop the loop. A later call can only shorten the time.
    ///
    /// - Parameters:
    ///   - delay: How long connections are still accepted.
    ///   - drain: How long requests may continue after that.
    func beginStopping(after delay: Duration, drain: Duration) {
        perform { loop in
            let refusal = loop.now &+ delay.nanoseconds
            let deadline = refusal &+ drain.nanoseconds
            loop.stopProgress = StopProgress(
                phase: loop.stopProgress?.phase ?? .serving, refusal: min(refusal, loop.stopProgress?.refusal ?? .max),
                deadline: min(deadline, loop.stopProgress?.deadline ?? .max))
        }
    }

    func untilStopped() async {
        await withCheckedContinuation { continuation in
            let isStopped = queue.withLock { queue in
                if !queue.hasStopped { queue.waiters.append(continuation) }
                return queue.hasStopped
            }
            if isStopped { continuation.resume() }
        }
    }

    /// Does what is next to stop the loop, if that was asked for. Called at the end of each turn.
    func continueStopping() {
        guard let stop = stopProgress, !hasStopped else { return }
        if stop.deadline <= now { return abortAll() }
        switch stop.phase {
        case .serving where stop.refusal <= now:
            for daemon in daemons { daemon.dropNewConnections() }
            stopProgress?.phase = .refusing(until: now + settings.handshakeTime)
        case .refusing(let end) where end <= now: completeIfAllAccepted()
        case .completing where !hasConnections: return finishStopping()
        case .completing(let end) where end <= now:
            stopProgress?.phase = .completing(firstRequestsUntil: .max)
            for connection in connections where connection.phase == .fresh { connection.closeIfIdle() }
        case .serving, .refusing, .completing: break
        }
        // The loop sleeps until the next sweep, so this wakes it in time.
        if let stopProgress { nextSweep = min(nextSweep, max(stopProgress.next, now + 10_000_000)) }
    }

    /// Closes the listening sockets, once all connections are accepted that clients consider open.
    private func completeIfAllAccepted() {
        // Not allSatisfy(), because each daemon accepts what it can.
        let waiting = daemons.filter { !$0.finishListening() }
        guard waiting.isEmpty else { return }
        stopProgress?.phase = .completing(firstRequestsUntil: now + settings.firstRequestTime)
        for connection in connections where connection.phase == .idle { connection.closeIfIdle() }
        for socket in webSockets.values { socket.end(.goingAway) }
    }

    /// Closes everything, whatever its state.
    private func abortAll() {
        for daemon in daemons { daemon.stopListening() }
        stopProgress?.phase = .completing(firstRequestsUntil: .max)
        guard hasConnections else { return finishStopping() }
        for socket in webSockets.values { socket.abort() }
        for connection in connections { connection.abort() }
        for daemon in daemons { daemon.needsRun = true }
    }

    private func finishStopping() {
        for daemon in daemons { daemon.close() }
        daemons = []
        hasStopped = true
        let waiters = queue.withLock { queue in
            queue.hasStopped = true
            defer { queue.waiters = [] }
            return queue.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
