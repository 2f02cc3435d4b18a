extension ForwardAuthDialect: BrowserDialect {
    /// As the gateway's.
    public var callback: String { inner.callback }
    /// As the gateway's.
    public var loopbackPath: String { inner.loopbackPath }

    /// Whether the gateway does.
    public func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    {
        try await inner.allowsLoopback(at: server, there(connection))
    }

    /// The browser opens the gateway's sign-in, and the gateway redeems its code.
    public func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> BrowserJourney
    {
        try await inner.begin(start, at: server, there(connection))
    }

    private func there(_ connection: UnauthenticatedConnection) -> UnauthenticatedConnection {
        gateway.map { connection.connection(to: $0) } ?? connection
    }
}
