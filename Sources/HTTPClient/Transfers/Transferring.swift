/// An engine that sends requests and receives responses under one ``Trust``, with one pool of connections.
///
/// It calls a ``ResponseReceiver`` with the bytes of a response as they arrive, in its own memory, and ends the transfer
/// when the receiver refuses them. As an executor, it runs tasks between its transfers.
protocol Transferring: TaskExecutor {
    /// Runs one transfer without following redirects. Cancelling the task closes the connection, or resets the HTTP/2
    /// stream, and throws `CancellationError`.
    ///
    /// - Throws: ``TransportError``, whose cause is a ``TransferFailure`` when the transfer itself failed, or
    ///   `CancellationError`.
    func perform(_ plan: TransferPlan) async throws -> TransferResult

    /// Cancels all transfers, closes all connections and waits until everything has ended.
    func close() async

    /// Starts the same shutdown as ``close()`` but does not wait.
    func shutDown()
}

/// The engine of this platform.
typealias TransferEngine = TransferLoop

/// What an engine knows about a failed transfer, besides the reason for people.
protocol TransferFailure: Error {
    /// Whether the connection was ready for a request, including its TLS handshake.
    var wasConnected: Bool { get }
    /// Whether the connection failed because this process could not open another file descriptor.
    var lacksDescriptors: Bool { get }
}
