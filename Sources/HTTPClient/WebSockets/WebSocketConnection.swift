package import WebSockets

/// A WebSocket connection of a client.
///
/// It is closed when it is released, and with the client that opened it.
package actor WebSocketConnection {
    private let stream: any ByteStream
    private let codec: WebSocketCodec
    private var events: ArraySlice<WebSocketEvent> = []
    private var isSending = false
    /// The bytes that followed the response to the upgrade.
    private var first: [UInt8]

    /// The maximum number of bytes that wait to be sent.
    private static let maximumPendingBytes = 1 << 20

    init(_ stream: any ByteStream, first: [UInt8], maximumMessageBytes: Int) {
        self.stream = stream
        self.first = first
        codec = WebSocketCodec(
            role: .client, maximumMessageBytes: maximumMessageBytes, maximumPendingBytes: Self.maximumPendingBytes)
    }

    /// Waits for the next message. Pings are answered. Only one call may wait at a time. Cancelling the task closes the
    /// connection.
    ///
    /// - Returns: The message. Nil when the server has ended the connection without a close frame.
    /// - Throws: ``TransportError``, `WebSocketError`, or `CancellationError` after ``close()``.
    package func next() async throws -> WebSocketEvent? {
        while events.isEmpty {
            let bytes = first.isEmpty ? try await stream.receive() : first
            first = []
            if bytes.isEmpty { return nil }
            do throws(WebSocketError) {
                events = try codec.receive(bytes)[...]
            } catch {
                // The output has the close frame, which says why.
                try? await flush()
                stream.close()
                throw error
            }
            try await flush()
        }
        return events.popFirst()
    }

    /// Sends a text message.
    ///
    /// - Throws: As ``next()``.
    package func send(_ text: String) async throws {
        try codec.send(text)
        try await flush()
    }

    /// Closes the connection without waiting for the server. Calls that wait throw `CancellationError`.
    package nonisolated func close() { stream.close() }

    private func flush() async throws {
        guard !isSending else { return }
        isSending = true
        defer { isSending = false }
        while codec.hasOutput {
            let bytes = codec.takeOutput()
            guard !bytes.isEmpty else { return }
            try await stream.send(bytes)
        }
    }
}
