extension ForwardAuthDialect: BrowserDialect {
    /// The redirect address with the gateway's custom scheme, as for Onyx.
    package var callback: String { inner.callback }
    /// The path of the gateway's loopback redirect, as for Onyx.
    package var loopbackPath: String { inner.loopbackPath }

    /// Returns whether the gateway sends browsers back to loopback addresses.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    {
        try await inner.allowsLoopback(at: server, there(connection))
    }

    /// Begins a sign-in at the gateway. The browser opens the gateway's sign-in, and the gateway redeems the code.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        try await inner.begin(start, at: server, there(connection))
    }

    private func there(_ connection: UnauthenticatedConnection) -> UnauthenticatedConnection {
        gateway.map { connection.connection(to: $0) } ?? connection
    }
}
