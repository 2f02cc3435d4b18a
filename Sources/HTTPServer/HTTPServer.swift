import Synchronization

/// An HTTP/1.1 server based on libmicrohttpd, with one event loop for each core. Each loop is a task executor, so a
/// request is read, handled and answered on one thread.
///
/// Requests are parsed strictly: an ambiguous request is refused with 400, and its connection is closed. Handlers run
/// on the loop of the connection and must not block it. When a client disconnects, the task of its handler is
/// cancelled. A client that closes only its sending direction while its handler or body producer is running counts as
/// disconnected. Chunked bodies may use a bare LF between chunks and may have trailers, which are ignored.
///
/// libmicrohttpd refuses a few malformed requests before this server sees them. They have no `Host`, an invalid length,
/// invalid chunks, or a head larger than the memory. The responses have the right status, but libmicrohttpd's own HTML
/// and no `X-Request-Id`.
///
/// Source: RFC 9110, RFC 9112.
package final class HTTPServer: Sendable {
    /// The addresses on which the server listens, in the order of the configuration, with the ports that the system
    /// chose.
    package let addresses: [BoundAddress]
    /// The maximum number of open file descriptors of the process: the system's hard limit, to which the server raised
    /// it.
    package let descriptorLimit: Int
    /// The maximum number of connections at once, over all loops and addresses. Each loop has an equal share.
    package let connectionLimit: Int
    let loops: [EventLoop]
    private let files: [SocketFile]
    private let hasStopped = Mutex(false)

    private init(
        addresses: [BoundAddress], limits: (descriptors: Int, connections: Int), loops: [EventLoop],
        files: [SocketFile]
    ) {
        self.addresses = addresses
        descriptorLimit = limits.descriptors
        connectionLimit = limits.connections
        self.loops = loops
        self.files = files
    }

    /// Starts a server that listens on all configured addresses.
    ///
    /// - Parameters:
    ///   - configuration: The addresses and limits.
    ///   - router: The routes.
    ///   - onAccess: Called after every request, on the thread of the loop. It must return at once.
    ///   - onLog: Called for events that concern an operator, on the thread of the loop.
    /// - Returns: The running server. It runs until ``stop(after:drain:)``, even when it is not referenced.
    /// - Throws: ``HTTPServerError`` that names the address on which the server could not listen. In that case it
    ///   listens on none.
    package static func start(
        _ configuration: Configuration, router: Router,
        onAccess: @escaping @Sendable (AccessRecord) -> Void = { _ in },
        onLog: @escaping @Sendable (ServerEvent) -> Void = { _ in }
    ) async throws(HTTPServerError) -> HTTPServer {
        guard !configuration.listeners.isEmpty else {
            throw HTTPServerError(.noListener, "Could not start the server: no address to listen on is configured.")
        }
        for listener in configuration.listeners {
            guard case .tls = listener, configuration.credentials == nil else { continue }
            throw HTTPServerError(
                .certificate, "Could not listen on \(listener): TLS needs a certificate and its key; configure both.")
        }
        let (descriptors, limit, perAddress, perNetwork) = configuration.limits()
        let settings = EventLoop.Settings(
            configuration, router: router, perAddress: perAddress, perNetwork: perNetwork, onAccess: onAccess,
            onLog: onLog)
        let loopCount = max(1, configuration.loops)
        var sockets: [ListeningSocket] = []
        var loops: [EventLoop] = []
        var runningCount = 0
        do throws(HTTPServerError) {
            for listener in configuration.listeners {
                sockets.append(try ListeningSocket.open(listener, count: loopCount))
            }
            for index in 0..<loopCount {
                let loop = try EventLoop(settings)
                loops.append(loop)
                for socket in sockets {
                    try loop.listen(socket.descriptors[index], isTLS: socket.isTLS, limit: limit)
                }
            }
            for loop in loops {
                try loop.startThread()
                runningCount += 1
            }
        } catch {
            for loop in loops[..<runningCount] { loop.beginStopping(after: .zero, drain: .zero) }
            for loop in loops[..<runningCount] { await loop.untilStopped() }
            for loop in loops[runningCount...] { loop.abandon() }
            // A loop that ran has closed its own descriptors.
            for socket in sockets { socket.close(from: runningCount) }
            throw error
        }
        return HTTPServer(
            addresses: sockets.map(\.address), limits: (descriptors, limit * sockets.count * loopCount), loops: loops,
            files: sockets.compactMap(\.file))
    }

    /// Stops the server so that no request is lost that a client could send:
    ///
    /// 1. For `delay`, accepts connections and answers requests as before. Each response has `Connection: close`, so that
    ///    clients send no further request on that connection.
    /// 2. For 200 ms, drops the first packet of new connections, and accepts those that are being opened. Then closes the
    ///    listening sockets. A connection that its client considers open is never reset.
    /// 3. Closes idle connections and ends WebSocket connections. A connection that has sent no request yet may still send
    ///    one, for a fifth of ``Configuration/headerTimeout``.
    /// 4. At `drain` after the delay, cancels the remaining handlers and closes their connections. A zero `drain` does so
    ///    without the steps before it.
    ///
    /// HTTP/1.1 cannot close a connection that was idle for the whole `delay` without the risk that its client sends a
    /// request at that moment. So a client should use a connection again only for a shorter time than `delay`, or be able
    /// to repeat the request.
    ///
    /// Returns when all connections are closed and the files of all Unix sockets are removed. A handler that ignores
    /// its cancellation may still be running. A second call can shorten the times of the first one, and returns when the
    /// server has stopped.
    ///
    /// - Parameters:
    ///   - delay: How long connections are still accepted. Default: zero.
    ///   - drain: How long requests may continue after that.
    ///
    /// Source: RFC 9112 §9.5 and §9.6.
    package func stop(after delay: Duration = .zero, drain: Duration) async {
        for loop in loops { loop.beginStopping(after: delay, drain: drain) }
        for loop in loops { await loop.untilStopped() }
        let isFirst = hasStopped.withLock { hasStopped in
            defer { hasStopped = true }
            return !hasStopped
        }
        if isFirst { for file in files { file.remove() } }
    }
}
