import CMicroHTTPD
import Glibc

extension EventLoop {
    func add(_ connection: ClientConnection) {
        if connections.isEmpty { nextSweep = now + settings.sweepInterval }
        connection.index = connections.count
        connections.append(connection)
        connection.daemon.countConnection(1)
    }

    func remove(_ connection: ClientConnection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        connection.daemon.countConnection(-1)
    }

    /// Watches the client of a suspended connection: its end means that nobody waits for the answer.
    ///
    /// Level-triggered `EPOLLRDHUP`, so an end before this call is noticed too. Source: epoll_ctl(2).
    func watch(_ exchange: Exchange) {
        let descriptor = exchange.connection.descriptor
        watched[descriptor] = exchange
        _ = latch_epoll_add(epoll, descriptor, latch_epoll_hangup(), UInt64(UInt32(bitPattern: descriptor)))
    }

    func unwatch(_ exchange: Exchange) {
        let descriptor = exchange.connection.descriptor
        guard watched.removeValue(forKey: descriptor) != nil else { return }
        _ = latch_epoll_remove(epoll, descriptor)
    }

    /// Ends connections past their deadline. One look at all of them is cheaper than keeping timers for each request.
    func sweepIfDue() {
        guard nextSweep <= now else { return }
        nextSweep = now + settings.sweepInterval
        for connection in connections where connection.deadline <= now { connection.expire() }
    }
}
