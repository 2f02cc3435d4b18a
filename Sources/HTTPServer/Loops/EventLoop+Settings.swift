extension EventLoop {
    /// What every loop of a server shares, in the units the loop counts in.
    ///
    /// An object, not a value: every request looks at it several times.
    final class Settings: Sendable {
        let router: Router
        let onAccess: @Sendable (AccessRecord) -> Void
        let onLog: @Sendable (ServerEvent) -> Void
        let credentials: TLSCredentials?
        let admitsPlain: @Sendable (PeerAddress) -> Bool
        let strictTransport: StrictTransport?
        let refusals = RefusalNotice()
        let connectionShares: ConnectionShares
        let budget: MemoryBudget
        /// How many connections one loop may have buffers for.
        let readLimit: Int
        let maximumHeaderBytes: Int
        let maximumBodyBytes: Int
        /// Nanoseconds, as all durations here.
        let idleTimeout: UInt64
        let headerTimeout: UInt64
        let bodyTimeout: UInt64
        /// How often deadlines are looked at: an eighth of the shortest time-out, 5 ms to 1 s.
        let sweepInterval: UInt64
        /// How often it is looked at whether a client takes its answer.
        let progressInterval: UInt64
        /// How long a refused body is still taken and dropped, so that the client reads the refusal and not a reset.
        let lingerTimeout: UInt64 = 2_000_000_000

        init(
            _ configuration: HTTPServer.Configuration, router: Router, connectionsPerAddress: Int,
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
            connectionShares = ConnectionShares(
                limit: connectionsPerAddress, counts: configuration.countsConnections)
            budget = MemoryBudget(configuration.requestMemory)
            let buffers = configuration.connectionMemory / Self.connectionMemory(configuration.maximumHeaderBytes)
            readLimit = max(16, buffers / max(1, configuration.loops))
            idleTimeout = configuration.idleTimeout.nanoseconds
            headerTimeout = configuration.headerTimeout.nanoseconds
            bodyTimeout = configuration.bodyTimeout.nanoseconds
            progressInterval = idleTimeout / 4
            sweepInterval = min(max(min(idleTimeout, headerTimeout, bodyTimeout) / 8, 5_000_000), 1_000_000_000)
        }

        var connectionMemory: Int { Self.connectionMemory(maximumHeaderBytes) }

        /// The memory of one connection at libmicrohttpd: a head of the largest size, a copy of it if it is all one
        /// `Cookie`, and what else is kept of it. libmicrohttpd clears all of it after each request, so no more.
        private static func connectionMemory(_ maximumHeaderBytes: Int) -> Int { maximumHeaderBytes * 2 + 2_048 }
    }
}
