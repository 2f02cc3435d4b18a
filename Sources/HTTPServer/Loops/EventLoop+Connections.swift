import CLibrary
import CMicroHTTPD
import HTTPMessages

extension EventLoop {
    /// Adds an accepted connection and watches for its client's disconnection.
    ///
    /// libmicrohttpd does not check a suspended connection, and its edge-triggered reading misses a disconnection that
    /// arrives together with the last bytes. Edge-triggered `EPOLLRDHUP` alone costs nothing while the connection is
    /// open. ``remove(_:)`` ends the watch.
    ///
    /// Source: epoll_ctl(2).
    func add(_ connection: ClientConnection) {
        // Without connections, the loop does not wake for sweeps. That time must not count as a delay of the loop.
        if !hasConnections { nextSweep = now + settings.sweepInterval }
        connection.index = connections.count
        connections.append(connection)
        byDescriptor[connection.descriptor] = connection
        let tag = UInt64(UInt32(bitPattern: connection.descriptor))
        _ = latch_epoll_add(epoll, connection.descriptor, latch_epoll_hangup(), tag)
        connection.daemon.countConnection(1)
        settings.connectionCounter.add(connection.peer)
        // While there is plenty of memory, connections are read immediately and not held until their first bytes.
        if readCount < settings.readLimit / 16 { beginReading(connection) }
        if connection.security.session != nil || !connection.isRead { connection.daemon.handshakes.append(connection) }
    }

    /// Removes a connection before its descriptor is closed.
    ///
    /// Closing a descriptor does not end its watch while a child process that has not called `exec` yet has a copy of it.
    /// An event of the old connection would then be taken for one of the next connection with the same descriptor.
    ///
    /// Source: epoll(7), "Will closing a file descriptor cause it to be removed from all epoll interest lists?".
    func remove(_ connection: ClientConnection) {
        _ = latch_epoll_remove(epoll, connection.descriptor)
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.index] = last
            last.index = connection.index
        }
        byDescriptor[connection.descriptor] = nil
        connection.wasRemoved()
        connection.daemon.countConnection(-1)
        if connection.isCounted { settings.connectionCounter.remove(connection.peer) }
        if connection.isRead { readCount -= 1 }
        if connection.isEndingUpgrade { connection.daemon.endingUpgrades -= 1 }
    }

    /// Starts to read from a held connection, or queues it when there is no memory for another one. Returns whether
    /// reading has started.
    func admit(_ connection: ClientConnection) -> Bool {
        guard readCount < settings.readLimit else {
            if !connection.isWaiting { waiting.append(connection) }
            connection.isWaiting = true
            return false
        }
        beginReading(connection)
        // The timeout starts again, because the connection may have waited for memory of this server.
        connection.setDeadline(now + settings.headerTimeout)
        return true
    }

    private func beginReading(_ connection: ClientConnection) {
        connection.isRead = true
        readCount += 1
    }

    /// Starts to read from waiting connections, as far as there is memory.
    func admitWaiting() {
        guard !waiting.isEmpty, readCount < settings.readLimit else { return }
        // The newest first: after many clients that send nothing more, the other clients are at the end. Only some at a
        // time, because the memory for their requests is counted at the end of the turn.
        let next = Array(waiting.suffix(min(64, settings.readLimit - readCount)))
        waiting.removeLast(next.count)
        for connection in next.reversed() {
            connection.isWaiting = false
            connection.release()
        }
    }

    /// Closes connections to free memory for connections that have sent something: idle ones first, then those whose head
    /// is incomplete. Looking at all connections at intervals is cheaper than keeping them in order.
    func freeMemoryIfDue() {
        guard !waiting.isEmpty, nextMemoryCheck <= now else { return }
        nextMemoryCheck = now + settings.memoryCheckInterval
        waiting.removeAll { $0.phase == .closed }
        guard !waiting.isEmpty, readCount >= settings.readLimit else { return }
        let idle = connections.filter { $0.phase == .idle }.prefix(waiting.count)
        for connection in idle { connection.closeIfIdle() }
        for connection in slowHeads(waiting.count - idle.count) { connection.refuseForMemory() }
    }

    /// The connections to close first of those whose head is incomplete, at most `count`: those of addresses and networks
    /// with more than their share, then all that have waited longer than ``Settings/headWaitLimit``. The oldest of each
    /// come first.
    private func slowHeads(_ count: Int) -> [ClientConnection] {
        guard count > 0 else { return [] }
        let heads = connections.filter { $0.isRead && ($0.phase == .head || $0.phase == .fresh) }
            .sorted { $0.headStart < $1.headStart }
        var counts: [AddressKey: Int] = [:]
        for head in heads { self.count(head, by: 1, in: &counts) }
        var slow: [ClientConnection] = []
        var others: [ClientConnection] = []
        for head in heads where slow.count < count {
            if isOverShare(head, counts) {
                slow.append(head)
                self.count(head, by: -1, in: &counts)
            } else if head.headStart + settings.headWaitLimit <= now {
                others.append(head)
            }
        }
        return slow + others.prefix(count - slow.count)
    }

    private func count(_ connection: ClientConnection, by change: Int, in counts: inout [AddressKey: Int]) {
        for key in keys(of: connection) { counts[key, default: 0] += change }
    }

    private func isOverShare(_ connection: ClientConnection, _ counts: [AddressKey: Int]) -> Bool {
        keys(of: connection).contains { counts[$0, default: 0] > $0.share(of: settings.readLimit) }
    }

    /// The address and the networks that a connection counts for. Empty for one that is not counted.
    private func keys(of connection: ClientConnection) -> [AddressKey] {
        settings.connectionCounter.key(of: connection.peer)?.all ?? []
    }

    /// Counts the memory of exchanges that still wait for their clients at the end of a turn.
    func countExchangeMemory() {
        guard !uncounted.isEmpty else { return }
        let exchanges = uncounted
        uncounted.removeAll(keepingCapacity: true)
        for exchange in exchanges { exchange.countMemory() }
    }

    /// Closes connections whose clients have disconnected, once libmicrohttpd has read the remaining bytes.
    func closeEnded() {
        guard !ended.isEmpty else { return }
        ended.removeAll { $0.closeIfEnded() }
    }

    /// Handles connections past their deadline. Checking all connections at intervals is cheaper than a timer for each
    /// request.
    func sweepIfDue() {
        guard nextSweep <= now else { return }
        let delay = now - nextSweep
        nextSweep = now + settings.sweepInterval
        // On an overloaded machine, the clients' bytes wait while the loop does not run. That time does not count
        // against the clients.
        if delay > settings.sweepInterval { for connection in connections { connection.postponeDeadline(by: delay) } }
        for connection in connections {
            connection.endIfCutShort()
            if connection.deadline <= now { connection.expire() }
        }
        for socket in webSockets.values where socket.deadline <= now { socket.abort() }
    }
}
