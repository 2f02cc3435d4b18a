import CMicroHTTPD
import HTTPMessages

// libmicrohttpd calls these functions on the loop's thread, inside MHD_run. They are free functions, because a closure
// with the isolation of an actor would trap there.

/// Called after the request line. Creates the exchange with the unmodified target.
///
/// Source: `MHD_OPTION_URI_LOG_CALLBACK`.
let targetCallback:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
        _, target, handle in
        guard let target, let handle, let context = latch_mhd_socket_context(handle) else { return nil }
        let connection = Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
        let id = connection.daemon.loop.numbers.next()
        let exchange = Exchange(id: id, connection: connection, handle: handle, target: target)
        // After the exchange has copied the target, because this removes the query from libmicrohttpd's buffer.
        latch_mhd_skip_query(target)
        connection.exchange = exchange
        connection.enter(.head)
        return Unmanaged.passUnretained(exchange).toOpaque()
    }

/// Leaves percent-encoding unchanged, because the path is taken from the raw target and decoded component by component.
///
/// Source: `MHD_OPTION_UNESCAPE_CALLBACK`.
let unescapeCallback: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?, UnsafeMutablePointer<CChar>?) -> Int = {
    _, _, text in
    text.map { strlen($0) } ?? 0
}

/// Called after the head, for each part of the body and at the end of a request.
///
/// Source: `MHD_AccessHandlerCallback`.
let accessCallback: MHD_AccessHandlerCallback = { _, handle, _, method, _, data, size, context in
    guard let handle, let method, let size, let pointer = context?.pointee else { return latch_mhd_no }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    if size.pointee > 0, let data {
        exchange.receiveBody(data, size.pointee)
        size.pointee = 0
        return latch_mhd_yes
    }
    // The head is also nil after the body was refused, so the step is checked too.
    return exchange.head == nil && exchange.step == .head
        ? exchange.receiveHead(handle, methodStart: method) : exchange.proceed(handle)
}

/// Called when a request has ended, with or without a response.
///
/// Source: `MHD_OPTION_NOTIFY_COMPLETED`.
let completedCallback: MHD_RequestCompletedCallback = { _, handle, context, reason in
    guard let pointer = context?.pointee else { return }
    let exchange = Unmanaged<Exchange>.fromOpaque(pointer).takeUnretainedValue()
    // Before end(), which would cancel a producer that still has work to do after the last byte.
    exchange.bodyHasEnded(isComplete: latch_mhd_is_complete(reason) != 0)
    exchange.end()
    if exchange.status == nil {
        // libmicrohttpd refused the request itself, with its own body.
        let status = latch_mhd_status(handle)
        if status != 0 { exchange.status = HTTPStatus(rawValue: Int(status)) }
    }
    let connection = exchange.connection
    if let reusable = exchange.reusableResponse.take() { connection.daemon.loop.reusableResponses.put(reusable) }
    connection.daemon.loop.settings.onAccess(exchange.record)
    if connection.phase != .closed, connection.phase != .upgraded { connection.enter(.idle) }
    connection.exchange = nil
}

/// Called after the response to an upgrade was sent. The request has the exchange as its context.
///
/// Source: `MHD_UpgradeHandler`.
let upgradeCallback: MHD_UpgradeHandler = { _, _, context, early, earlyCount, descriptor, upgrade in
    guard let context, let upgrade else { return }
    let exchange = Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
    let received = early.map { Array(UnsafeRawBufferPointer(start: $0, count: earlyCount)) } ?? []
    exchange.upgrade(descriptor, upgrade, received: received)
}

/// Decides whether a new connection is accepted. A refused connection is closed at once.
///
/// Source: `MHD_AcceptPolicyCallback`.
let acceptCallback: MHD_AcceptPolicyCallback = { context, address, _ in
    guard let context else { return latch_mhd_yes }
    let loop = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue().loop
    let peer = address.flatMap { SocketAddress.peer($0) }
    guard loop.hasRoom else {
        loop.settings.connectionRefusals.record(peer ?? .unix, now: loop.now, loop.settings.onLog)
        return latch_mhd_no
    }
    // Clients of a Unix socket have no address that could be limited.
    guard let peer else { return latch_mhd_yes }
    return loop.settings.connectionCounter.admits(peer, now: loop.now, loop.settings.onLog)
        ? latch_mhd_yes : latch_mhd_no
}

/// Called when a connection was accepted or closed.
///
/// Source: `MHD_OPTION_NOTIFY_CONNECTION`.
let connectionCallback: MHD_NotifyConnectionCallback = { context, handle, socketContext, event in
    guard let context, let handle, let socketContext else { return }
    let daemon = Unmanaged<Daemon>.fromOpaque(context).takeUnretainedValue()
    if latch_mhd_is_start(event) != 0 {
        let peer = latch_mhd_peer(handle).flatMap { SocketAddress.peer($0) } ?? .unix
        let connection = ClientConnection(
            descriptor: latch_mhd_descriptor(handle), peer: peer,
            security: .init(of: handle, from: peer, settings: daemon.loop.settings), daemon: daemon, handle: handle)
        socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
        daemon.loop.add(connection)
    } else if let pointer = socketContext.pointee {
        let connection = Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue()
        socketContext.pointee = nil
        daemon.loop.remove(connection)
    }
}
