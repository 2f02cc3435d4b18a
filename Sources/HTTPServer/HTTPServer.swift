import Synchronization

/// An HTTP/1.1 server over libmicrohttpd: one event loop a core, each a task executor, so a request is read, handled
/// and answered on one thread.
///
/// Requests are read strictly: what two readers could read in two ways is refused with 400 and the connection closed.
/// Handlers run on the loop that has the connection and must not block it. A client that goes away cancels its
/// handler's task, and one that only ends its own sending half while its handler, or the producer of its body, is waited for counts as gone. Chunked bodies
/// may use a bare LF between chunks and may have trailers, which are dropped.
///
/// A few malformed requests are refused by libmicrohttpd before this server sees them, with the right status but its own
/// HTML and without `X-Request-Id`: no `Host`, a length that is no number, broken chunks, a head beyond all memory.
///
/// Source: RFC 9110, RFC 9112.
public final class HTTPServer: Sendable {
    /// Where the server listens, in the configuration's order, with the ports the system chose.
    public let addresses: [BoundAddress]
    /// How many descriptors the process may have open: the system's hard limit, which the server has taken.
    public let descriptorLimit: Int
    /// The most connections at once, over all loops and addresses; each loop has its share of it.
    public let connectionLimit: Int
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

    /// Listens on every address and begins to serve.
    ///
    /// - Parameters:
    ///   - configuration: Where to listen and what to allow.
    ///   - router: The routes.
    ///   - onAccess: Gets every request that has ended, on the loop's thread: it must return at once.
    ///   - onLog: Gets what an operator should know, on the loop's thread.
    /// - Returns: The running server; it runs until ``stop(drain:)``, whether or not somebody keeps it.
    /// - Throws: ``HTTPServerError`` naming the address that could not be had; nothing listens then.
    public static func start(
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
        let (descriptors, limit, perAddress) = configuration.limits()
        let settings = EventLoop.Settings(
            configuration, router: router, connectionsPerAddress: perAddress, onAccess: onAccess, onLog: onLog)
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
            for loop in loops[..<runningCount] { loop.beginDraining(for: .zero) }
            for loop in loops[..<runningCount] { await loop.untilStopped() }
            for loop in loops[runningCount...] { loop.abandon() }
            // A loop that ran has closed its own.
            for socket in sockets { socket.close(from: runningCount) }
            throw error
        }
        return HTTPServer(
            addresses: sockets.map(\.address), limits: (descriptors, limit * sockets.count * loopCount), loops: loops,
            files: sockets.compactMap(\.file))
    }

    /// Stops: no new connections, idle ones closed, running requests answered with `Connection: close` until `drain`
    /// has passed, then their handlers cancelled and their connections closed.
    ///
    /// Returns when every connection is closed and every Unix socket's file removed. A handler that ignores its
    /// cancellation may still be running. Calling it again returns when the first call's work is done.
    public func stop(drain: Duration) async {
        for loop in loops { loop.beginDraining(for: drain) }
        for loop in loops { await loop.untilStopped() }
        let isFirst = hasStopped.withLock { hasStopped in
            defer { hasStopped = true }
            return !hasStopped
        }
        if isFirst { for file in files { file.remove() } }
    }
}
