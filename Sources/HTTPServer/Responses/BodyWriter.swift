/// Where the producer of a streamed body writes it.
public struct BodyWriter: Sendable {
    private let stream: BodyStream

    init(_ stream: BodyStream) {
        self.stream = stream
    }

    /// Gives bytes to the client, and waits while more than 128 KiB of earlier ones have not been taken: a client that
    /// reads slowly slows its producer, and memory stays as it is.
    ///
    /// - Throws: `CancellationError` when the client is gone, the server stops or the producer's task was cancelled;
    ///   ``HTTPServerError/Code/body`` when this is more than the body's length, which also cuts the connection.
    public func write(_ bytes: [UInt8]) async throws {
        try await stream.write(bytes)
    }

    /// The same, for text.
    public func write(_ text: String) async throws {
        try await stream.write(Array(text.utf8))
    }
}
