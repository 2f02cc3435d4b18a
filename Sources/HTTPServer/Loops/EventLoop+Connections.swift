import CMicroHTTPD
import Glibc

extension EventLoop {
    /// Takes an accepted connection and watches for its client's end.
    ///
    /// libmicrohttpd does not look at a suspended connection, and its edge-triggered reading misses an end that comes
    /// together with the last bytes. Edge-triggered `EPOLLRDHUP` alone costs nothing while the connection lives, and
    /// closing the descriptor takes it out again.
    ///
    /// Source: epoll_ctl(2).
    func add(_ connection: ClientConnection) {
        if connections.isEmpty { nextSweep = now + settings.sweepInterval }
        connection.index = connections.count
        connections.append(connection)
        byDescriptor[connection.descriptor] = connection
        let tag = UInt64(UInt32(bitPattern: connection.descriptor))
        _ = latch_epoll_add(epoll, connection.descriptor, latch_epoll_hangup(), tag)
        connection.daemon.countConnection(1)
        settings.connectionShares.add(connection.peer)
        // While there is plenty of memory, connections are read at once and not held until their first bytes.
        if readCount < settings.readLimit / 16 { beginReading(connection) }
        if connection.security.session != nil || !connection.isRead { connection.daemon.handshakes.append(connection) }
    }

    func remove(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        byDescriptor[connection.descriptor] = nil
        connection.wasRemoved()
        connection.daemon.countConnection(-1)
        settings.connectionShares.remove(connection.peer)
        if connection.isRead { readCount -= 1 }
    }

    /// Starts to read from a held connection, or queues it when there is no memory for one more.
    func admit(_ connection: ClientConnection) -> Bool {
        guard readCount < settings.readLimit else {
            if !connection.isWaiting { waiting.append(connection) }
            connection.isWaiting = true
            return false
        }
        beginReading(connection)
        connection.setDeadline(now + settings.headerTimeout)
        return true
    }

    private func beginReading(_ connection: ClientConnection) {
        connection.isRead = true
        readCount += 1
    }

    /// Starts to read from as many waiting connections as there is memory for.
    func admitWaiting() {
        guard !waiting.isEmpty, readCount < settings.readLimit else { return }
        // The newest first: after a crowd of clients that send nothing more, the others are at the end.
        // Some at a time: what they have sent takes memory that is counted at the end of the turn.
        let next = Array(waiting.suffix(min(64, settings.readLimit - readCount)))
        waiting.removeLast(next.count)
        for connection in next.reversed() {
            connection.isWaiting = false
            connection.release()
        }
    }

    /// Closes idle kept-alive connections to free memory for connections that have sent a request.
    private func makeRoom() {
        waiting.removeAll { $0.phase == .closed }
        guard !waiting.isEmpty else { return }
        for connection in connections.lazy.filter({ $0.phase == .idle }).prefix(waiting.count) {
            connection.closeIfIdle()
        }
    }

    /// Counts the memory of requests that are still unfinished at the end of the turn in which their bytes arrived.
    func weighExchanges() {
        guard !unweighed.isEmpty else { return }
        let exchanges = unweighed
        unweighed.removeAll(keepingCapacity: true)
        for exchange in exchanges { exchange.weigh() }
    }

    /// Closes connections whose clients have ended, once libmicrohttpd has read what was left to read.
    func settleEnded() {
        guard !ended.isEmpty else { return }
        ended.removeAll { $0.settleEnd() }
    }

    /// Ends connections past their deadline. One look at all of them is cheaper than keeping timers for each request.
    func sweepIfDue() {
        guard nextSweep <= now else { return }
        let delay = now - nextSweep
        nextSweep = now + settings.sweepInterval
        // On a machine that is too busy to run the loop the clients' bytes wait here: that time does not count against them.
        if delay > settings.sweepInterval { for connection in connections { connection.postponeDeadline(by: delay) } }
        for connection in connections {
            connection.endIfCutShort()
            if connection.deadline <= now { connection.expire() }
        }
        makeRoom()
    }
}
