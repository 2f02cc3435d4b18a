extension EventLoop {
    /// The settings that all loops of a server share, in the units of the loop.
    ///
    /// A class and not a structure, because every request reads it several times.
    final class Settings: Sendable {
        let router: Router
        let onAccess: @Sendable (AccessRecord) -> Void
        let onLog: @Sendable (ServerEvent) -> Void
        let credentials: TLSCredentials?
        let admitsPlain: @Sendable (PeerAddress) -> Bool
        let strictTransport: StrictTransport?
        let plainRefusals = RefusalNotice(
            "Plain HTTP requests were refused: they came neither from this machine nor from a trusted proxy.",
            counted: "requests")
        let connectionRefusals = RefusalNotice(
            "The connection limit is reached: new connections are closed. Raise the limit of open files.",
            counted: "connections")
        let connectionCounter: ConnectionCounter
        /// The memory of requests that are incomplete or wait for their handlers.
        let requestMemory = MemoryUse()
        /// The maximum memory of the incomplete requests of one loop, in bytes.
        let incompleteLimit: Int
        /// The memory of responses that are not sent completely.
        let responseMemory = MemoryUse()
        /// The maximum memory of such responses of one loop, in bytes.
        let unsentLimit: Int
        let cutResponses = RefusalNotice(
            "Responses were cut off: their clients read too slowly, and others need the memory.", counted: "responses")
        /// The maximum number of connections for which one loop may have buffers.
        let readLimit: Int
        let maximumHeaderBytes: Int
        let maximumBodyBytes: Int
        /// The timeout in nanoseconds, like all durations here.
        let idleTimeout: UInt64
        let headerTimeout: UInt64
        let bodyTimeout: UInt64
        /// How long ``minimumBodyBytes`` of a body may take.
        let bodyInterval: UInt64
        /// How many bytes of a body must arrive in each ``bodyInterval``, unless it is complete.
        let minimumBodyBytes = 1_024
        /// How long a head may be incomplete while others wait for its memory.
        let headWaitLimit: UInt64
        /// How often incomplete heads are refused while others wait for their memory.
        let memoryCheckInterval: UInt64 = 100_000_000
        /// The interval of the deadline checks, in nanoseconds: an eighth of the shortest timeout, from 5 ms to 1 s.
        let sweepInterval: UInt64
        /// The interval at which the progress of responses is checked, in nanoseconds.
        let progressInterval: UInt64
        /// How long a refused body is still received and ignored, in nanoseconds, so that the client reads the refusal
        /// and does not get a reset.
        let lingerTimeout: UInt64 = 2_000_000_000
        /// How long connections that are being opened may take when the server stops listening, in nanoseconds.
        let handshakeTime: UInt64 = 200_000_000
        /// How long a connection may wait for the client's first request after the server has stopped listening, in
        /// nanoseconds: a fifth of the timeout of a head.
        let firstRequestTime: UInt64

        init(
            _ configuration: HTTPServer.Configuration, router: Router, perAddress: Int, perNetwork: Int,
            onAccess: @escaping @Sendable (AccessRecord) -> Void, onLog: @escaping @Sendable (ServerEvent) -> Void
        ) {
            self.router = router
            self.onAccess = onAccess
            self.onLog = onLog
            credentials = configuration.credentials
            admitsPlain = configuration.admitsPlain
            strictTransport = configuration.strictTransport
            maximumHeaderBytes = configuration.maximumHeaderBytes
            maximumBodyBytes = configuration.maximumBodyBytes
            connectionCounter = ConnectionCounter(
                limit: perAddress, networkLimit: perNetwork, counts: configuration.countsConnections)
            incompleteLimit = configuration.requestMemory / max(1, configuration.loops)
            unsentLimit = configuration.responseMemory / max(1, configuration.loops)
            let buffers = configuration.connectionMemory / Self.connectionMemory(configuration.maximumHeaderBytes)
            readLimit = max(16, buffers / max(1, configuration.loops))
            idleTimeout = configuration.idleTimeout.nanoseconds
            headerTimeout = configuration.headerTimeout.nanoseconds
            firstRequestTime = headerTimeout / 5
            bodyTimeout = configuration.bodyTimeout.nanoseconds
            bodyInterval = bodyTimeout / 3
            headWaitLimit = headerTimeout / 10
            progressInterval = idleTimeout / 4
            sweepInterval = min(max(min(idleTimeout, headerTimeout, bodyTimeout) / 8, 5_000_000), 1_000_000_000)
        }

        var connectionMemory: Int { Self.connectionMemory(maximumHeaderBytes) }

        /// Returns the memory that libmicrohttpd needs for one connection, in bytes: a head of the maximum size, a copy
        /// of it if it is a single `Cookie`, and other data. libmicrohttpd clears it after each request, so more is not
        /// needed.
        private static func connectionMemory(_ maximumHeaderBytes: Int) -> Int { maximumHeaderBytes * 2 + 2_048 }
    }
}
