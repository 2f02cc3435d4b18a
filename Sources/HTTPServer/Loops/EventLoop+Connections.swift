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
        if connection.security.session != nil { connection.daemon.handshakes.append(connection) }
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
    }

    /// Closes connections whose clients have ended, once libmicrohttpd has read what was left to read.
    func settleEnded() {
        guard !ended.isEmpty else { return }
        ended.removeAll { $0.settleEnd() }
    }

    /// Ends connections past their deadline. One look at all of them is cheaper than keeping timers for each request.
    func sweepIfDue() {
        guard nextSweep <= now else { return }
        nextSweep = now + settings.sweepInterval
        for connection in connections {
            connection.endIfCutShort()
            if connection.deadline <= now { connection.expire() }
        }
    }
}
