import CLibrary
import CMicroHTTPD
import Synchronization

extension EventLoop {
    var isDraining: Bool { drainDeadline != nil }

    /// Begins to stop the loop. Later calls have no effect.
    func beginDraining(for duration: Duration) {
        perform { loop in
            guard loop.drainDeadline == nil else { return }
            loop.drainDeadline = loop.now &+ duration.nanoseconds
            for daemon in loop.daemons {
                // Connections in the system's queue are accepted first, because their clients consider them open.
                MHD_run(daemon.handle)
                daemon.stopListening()
            }
            for connection in loop.connections { connection.closeIfIdle() }
            for socket in loop.webSockets.values { socket.end(.goingAway) }
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

    func drainIfAsked() {
        guard let drainDeadline, !hasStopped else { return }
        if !hasConnections {
            finishStopping()
        } else if drainDeadline <= now {
            for socket in webSockets.values { socket.abort() }
            for connection in connections { connection.abort() }
            for daemon in daemons { daemon.needsRun = true }
        } else {
            // The loop sleeps until the next sweep, so this wakes it at the deadline.
            nextSweep = min(nextSweep, drainDeadline)
        }
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
