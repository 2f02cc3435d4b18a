/// A connection to a server after its TLS handshake, for another protocol than HTTP.
///
/// It is closed when it is released, and with the engine that made it.
protocol ByteStream: Sendable {
    /// Waits for bytes of the server. Returns an empty array when the server has closed the connection. Only one call
    /// may wait at a time. Cancelling the task closes the connection.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` after ``close()``.
    func receive() async throws -> [UInt8]

    /// Sends bytes, and waits until the system has taken them. Only one call may wait at a time. Cancelling the task
    /// closes the connection.
    ///
    /// - Throws: As ``receive()``.
    func send(_ bytes: [UInt8]) async throws

    /// Closes the connection. Calls that wait throw `CancellationError`.
    func close()
}
