import CLibrary
import CMicroHTTPD
import HTTPMessages

extension EventLoop {
    /// Whether there are connections of any kind.
    var hasConnections: Bool { !connections.isEmpty || !webSockets.isEmpty }

    /// Whether another connection may be accepted. libmicrohttpd does not count the WebSocket connections that it has
    /// handed over. It has not handed over those with TLS.
    var hasRoom: Bool { connections.count + handedOverCount < connectionShare }

    /// Whether another WebSocket connection may begin. A quarter of the connections is left for requests. With TLS,
    /// libmicrohttpd keeps the buffers of the connection, so half of them are left for requests.
    func mayUpgrade(isTLS: Bool) -> Bool {
        webSockets.count < max(1, connectionShare / 4 * 3)
            && (!isTLS || webSockets.count < max(1, settings.readLimit / 2))
    }

    /// Watches the socket of a new connection. Returns whether the system allows it.
    func add(_ socket: WebSocketConnection, _ descriptor: Int32) -> Bool {
        if !hasConnections { nextSweep = now + settings.sweepInterval }
        let tag = UInt64(UInt32(bitPattern: descriptor))
        guard latch_epoll_add(epoll, descriptor, latch_epoll_readable(), tag) == 0 else { return false }
        webSockets[descriptor] = socket
        if !socket.isForwarded { handedOverCount += 1 }
        return true
    }

    /// Removes a connection before its descriptor is closed.
    func remove(_ socket: WebSocketConnection, _ descriptor: Int32) {
        guard webSockets[descriptor] === socket else { return }
        _ = latch_epoll_remove(epoll, descriptor)
        webSockets[descriptor] = nil
        if !socket.isForwarded { handedOverCount -= 1 }
    }

    /// Watches whether bytes arrive, and whether bytes can be sent if some are waiting.
    func watch(_ descriptor: Int32, isWaitingToSend: Bool) {
        let events = isWaitingToSend ? latch_epoll_readable_or_writable() : latch_epoll_readable()
        _ = latch_epoll_change(epoll, descriptor, events, UInt64(UInt32(bitPattern: descriptor)))
    }
}

extension Exchange {
    /// Returns the response to send instead of an upgrade that is not possible.
    func upgradeRefusal(of response: ServerResponse) -> ServerResponse? {
        guard response.body.isUpgrade else { return nil }
        let router = loop.settings.router
        guard let head, !head.isVersion10, head.method == .get, head.contentLength == 0 else {
            return router.errorResponse(.badRequest, "A WebSocket handshake is a GET request without a body.", refused)
        }
        guard loop.mayUpgrade(isTLS: connection.security.session != nil) else {
            var refusal = router.errorResponse(
                .serviceUnavailable, "The server has too many WebSocket connections; try again later.", refused)
            refusal.headers["Retry-After"] = "60"
            return refusal
        }
        return nil
    }

    /// Begins the WebSocket connection on the socket that libmicrohttpd has handed over.
    ///
    /// Without TLS, the connection continues on a copy of the descriptor, and libmicrohttpd releases its memory for the
    /// connection. With TLS, the socket is one end of a pair. libmicrohttpd encrypts what is sent, and keeps its memory
    /// until the connection ends.
    ///
    /// Source: libmicrohttpd manual, `MHD_create_response_for_upgrade`.
    func upgrade(_ socket: Int32, _ upgrade: OpaquePointer, received: [UInt8]) {
        let connection = connection
        connection.enter(.upgraded)
        let isTLS = connection.security.session != nil
        let descriptor = isTLS ? socket : fcntl(socket, F_DUPFD_CLOEXEC, 0)
        let release = {
            latch_mhd_end_upgrade(upgrade)
            connection.isEndingUpgrade = true
            connection.daemon.endingUpgrades += 1
            connection.daemon.needsRun = true
            // libmicrohttpd would wait without limit for a client that does not read the rest.
            connection.setDeadline(connection.daemon.loop.now + connection.daemon.loop.settings.lingerTimeout)
        }
        if !isTLS { release() }
        guard let webSocket, descriptor >= 0 else {
            if isTLS { release() }
            return
        }
        let begun = WebSocketConnection(
            descriptor, loop: loop, maximumMessageBytes: webSocket.maximumMessageBytes, isForwarded: isTLS,
            release: isTLS ? release : loop.closing(descriptor, of: connection))
        self.webSocket = nil
        guard loop.add(begun, descriptor) else { return begun.abort() }
        begun.start(webSocket, received: received)
    }
}

extension EventLoop {
    /// Returns the action that closes a connection which libmicrohttpd has handed over. The connection keeps its place in
    /// the count of its address until then, so that a client near the limit is never counted twice.
    fileprivate func closing(_ descriptor: Int32, of connection: ClientConnection) -> () -> Void {
        let (counter, peer) = (settings.connectionCounter, connection.peer)
        connection.isCounted = false
        return {
            _ = CLibrary.close(descriptor)
            counter.remove(peer)
        }
    }
}
