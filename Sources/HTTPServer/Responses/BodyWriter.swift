/// The destination to which the producer of a streamed body writes.
package struct BodyWriter: Sendable {
    private let stream: BodyStream
    private let check: (@Sendable () async throws -> Void)?

    init(_ stream: BodyStream, check: (@Sendable () async throws -> Void)? = nil) {
        self.stream = stream
        self.check = check
    }

    /// Returns a writer that calls a check before it sends bytes.
    func checked(_ check: @escaping @Sendable () async throws -> Void) -> BodyWriter {
        BodyWriter(stream, check: check)
    }

    /// Sends bytes to the client, and waits while more than 128 KiB are buffered. A client that reads slowly therefore
    /// slows down its producer, and the memory is limited.
    ///
    /// - Throws: `CancellationError` when the client has disconnected, the server stops or the producer's task was
    ///   cancelled; ``HTTPServerError/Code/body`` when the bytes exceed the length of the body, which also closes the
    ///   connection; ``StoppedBody`` when the check of ``ResponseBody/checked(_:)`` has thrown.
    package func write(_ bytes: [UInt8]) async throws {
        do { try await check?() } catch { throw StoppedBody(reason: error) }
        try await stream.write(bytes)
    }

    /// Sends text to the client as UTF-8, in the same way as bytes.
    package func write(_ text: String) async throws {
        try await write(Array(text.utf8))
    }
}
