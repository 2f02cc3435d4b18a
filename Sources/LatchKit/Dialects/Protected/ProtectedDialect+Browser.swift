extension ProtectedDialect: BrowserDialect {
    /// As the gateway's.
    public var callback: String { inner.callback }
    /// As the gateway's.
    public var loopbackPath: String { inner.loopbackPath }

    /// Whether the gateway does.
    public func allowsLoopback(at server: Server, _ line: ServerLine) async throws(CancellationError) -> Bool {
        try await inner.allowsLoopback(at: server, there(line))
    }

    /// The browser opens the gateway's sign-in, and the gateway redeems its code.
    public func begin(_ start: BrowserStart, at server: Server, _ line: ServerLine) async throws -> BrowserJourney {
        try await inner.begin(start, at: server, there(line))
    }

    private func there(_ line: ServerLine) -> ServerLine { gateway.map { line.line(to: $0) } ?? line }
}
