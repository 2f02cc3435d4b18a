extension HTTPServer {
    /// Where the server listens and what it allows.
    public struct Configuration: Sendable {
        /// The addresses to listen on, at least one.
        public var listeners: [Listener]
        /// The number of event loops, each with a thread of its own; by default one a core.
        public var loops: Int
        /// The largest head: request line, fields and the empty line, in bytes. Above it the answer is 431.
        ///
        /// `8192` by default, as other servers have it. libmicrohttpd reads about twice as much before it refuses by
        /// itself, with 431, or 414 while still in the request line, and a body of its own. More than 100 fields are 431
        /// too. A `Cookie` field of so many pairs that libmicrohttpd has no room for the list, more than forty beside a head of
        /// 8 KiB, ends the connection without an answer.
        public var maximumHeaderBytes: Int
        /// The largest body in bytes, without the framing of chunks. Above it the answer is 413. `1048576` by default.
        public var maximumBodyBytes: Int
        /// How long a kept connection may wait for its next request line, and how long a client may take nothing of its
        /// answer: up to a quarter more, as it is looked at four times in it. An answer that is taken slowly, but taken,
        /// may last as long as it does. 60 s by default.
        public var idleTimeout: Duration
        /// How long a head may take: from accepting the connection for its first request, from the request line for a
        /// later one. The bytes that trickle in don't extend it. 10 s by default.
        public var headerTimeout: Duration
        /// How long a body may take, from the end of the head. 30 s by default.
        public var bodyTimeout: Duration
        /// The most connections at once over all loops; nil takes what the descriptor limit allows, at most 20000.
        /// Further ones wait in the system's queue.
        public var connectionLimit: Int?
        /// The most connections at once from one address; an IPv6 /64 counts as one address. Further connections are closed
        /// at once. nil means 512, or a quarter of all connections if that is less.
        public var connectionsPerAddress: Int?
        /// Whether the connections of a client count against its address. Return false for a reverse proxy, which carries the
        /// connections of many clients. All clients count by default; clients of a Unix socket have no address.
        public var countsConnections: @Sendable (PeerAddress) -> Bool = { _ in true }
        /// The memory for the read buffers of connections, in bytes; 96 MiB by default. Further connections stay unread until
        /// one of these ends. How many connections that is depends on ``maximumHeaderBytes``.
        public var connectionMemory = 96 << 20
        /// The memory for requests that wait for the rest of their body or for their handler, over all connections, in bytes;
        /// 12 MiB by default. Once it is used up, a request whose body is incomplete is answered 503.
        public var requestMemory = 12 << 20

        /// The certificate of ``Listener/tls(host:port:)``; must be there when one is listed.
        public var credentials: TLSCredentials?
        /// Which clients may speak plain HTTP over TCP; others get 403. Asked once a connection. Everybody by default.
        public var admitsPlain: @Sendable (PeerAddress) -> Bool = { _ in true }
        /// What browsers are told about TLS; nothing by default.
        public var strictTransport: StrictTransport?

        /// Makes a configuration; see the properties for defaults.
        public init(
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
        }
    }
}
