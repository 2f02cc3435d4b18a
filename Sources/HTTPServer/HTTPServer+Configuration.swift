extension HTTPServer {
    /// The addresses and limits of a server.
    package struct Configuration: Sendable {
        /// The addresses to listen on, at least one.
        package var listeners: [Listener]
        /// The number of event loops, each with its own thread. Default: one for each core.
        package var loops: Int
        /// The maximum size of the request head in bytes: request line, fields and the empty line. A larger head gets
        /// 431. Default: 8192, as in other servers.
        ///
        /// libmicrohttpd reads about twice as much before it refuses the request itself, with its own body and 431, or
        /// 414 in the request line. More than 100 fields also get 431. A `Cookie` field with too many pairs for the
        /// memory of libmicrohttpd, more than forty with a head of 8 KiB, closes the connection without a response.
        package var maximumHeaderBytes: Int
        /// The maximum size of a request body in bytes, without the framing of chunks. A larger body gets 413. Default:
        /// 1048576.
        package var maximumBodyBytes: Int
        /// The timeout of a keep-alive connection that waits for its next request line, and of a client that accepts no
        /// bytes of its response. Default: 60 s.
        ///
        /// It may last up to a quarter longer, because the progress is checked four times in this period. A response
        /// that the client accepts slowly may take any time.
        package var idleTimeout: Duration
        /// The timeout of a request head. It starts when the connection is accepted for the first request, and with the
        /// request line for later ones. Bytes that arrive slowly do not extend it. Default: 10 s.
        package var headerTimeout: Duration
        /// The timeout of a request body, from the end of the head. In each third of it 1 KiB of the body must arrive, or
        /// its rest. Default: 30 s.
        package var bodyTimeout: Duration
        /// The maximum number of connections at once over all loops. Nil uses the file descriptor limit, with at most
        /// 20,000 connections. Further connections wait in the system's queue.
        package var connectionLimit: Int?
        /// The maximum number of connections at once from one address. An IPv6 /64 counts as one address. A /56 may
        /// have four times as many and a /48 sixteen times, each at most half of all. Further connections are closed
        /// immediately. Nil means 512, or a quarter of all connections if that is less.
        package var connectionsPerAddress: Int?
        /// Whether the connections of a client count against its address. Return false for a reverse proxy, which
        /// carries the connections of many clients. Default: all clients count. Clients of a Unix socket have no
        /// address.
        package var countsConnections: @Sendable (PeerAddress) -> Bool = { _ in true }
        /// The memory for the read buffers of connections, in bytes. Default: 96 MiB. The number of connections that fit
        /// depends on ``maximumHeaderBytes``. When it is used up, connections that wait for their next request are closed,
        /// then those whose head is incomplete: of an address with more than an eighth of them, of a /56 with more than
        /// a quarter, of a /48 with more than half, and those that have waited for a tenth of ``headerTimeout``.
        package var connectionMemory = 96 << 20
        /// The memory for requests that wait for the rest of their body, in bytes. Default: 12 MiB, or 8 MiB
        /// for each loop if that is more. Each loop has an equal part. One address may use an eighth of it, a /56 a quarter
        /// and a /48 half. When one of these is used up, the request in it that has waited longest gets 503.
        package var requestMemory: Int
        /// The memory for responses of 16 KiB and more that their clients have not read yet, in bytes. Default: 64 MiB, or
        /// 32 MiB for each loop if that is more. The parts and shares are those of ``requestMemory``. When one is used up,
        /// the connection in it whose response has waited longest is closed. Streamed bodies and files do not count.
        package var responseMemory: Int

        /// The certificate for ``Listener/tls(host:port:)``. Required when the configuration has such a listener.
        package var credentials: TLSCredentials?
        /// Whether a client may use plain HTTP over TCP. Other clients get 403. Called once for each connection.
        /// Default: all clients may.
        package var admitsPlain: @Sendable (PeerAddress) -> Bool = { _ in true }
        /// The policy of the `Strict-Transport-Security` field. Nil, the default, sends none.
        package var strictTransport: StrictTransport?

        /// Creates a configuration. See the properties for the defaults.
        package init(
            listeners: [Listener], loops: Int = Configuration.coreCount, maximumHeaderBytes: Int = 8192,
            maximumBodyBytes: Int = 1_048_576, idleTimeout: Duration = .seconds(60),
            headerTimeout: Duration = .seconds(10), bodyTimeout: Duration = .seconds(30), connectionLimit: Int? = nil
        ) {
            self.listeners = listeners
            self.loops = loops
            self.maximumHeaderBytes = maximumHeaderBytes
            self.maximumBodyBytes = maximumBodyBytes
            self.idleTimeout = idleTimeout
            self.headerTimeout = headerTimeout
            self.bodyTimeout = bodyTimeout
            self.connectionLimit = connectionLimit
            requestMemory = max(12, 8 * loops) << 20
            responseMemory = max(64, 32 * loops) << 20
        }
    }
}
