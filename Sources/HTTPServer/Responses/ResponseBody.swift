/// The body of a response: bytes in memory, a part of a file, or bytes that a task writes while they are sent.
package enum ResponseBody: Sendable, ExpressibleByArrayLiteral {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A part of a file. Where the connection allows it, the system sends the file without copying it through this
    /// process.
    case file(FileRegion)
    /// Bytes that a producer writes while the client reads.
    case stream(StreamedBody)
    /// The messages of a WebSocket connection, which begins after the response.
    case webSocket(WebSocketUpgrade)

    /// Creates a body from single bytes. Mostly used for the empty body.
    package init(arrayLiteral elements: UInt8...) {
        self = .bytes(elements)
    }

    /// Returns a body that is written while the client reads.
    ///
    /// The producer runs on the connection's loop, so it must not block. It is not started for `HEAD`, 204 and 304.
    /// When the client disconnects, the producer's task is cancelled. When the producer throws, or writes a different
    /// number of bytes than `length`, the connection is closed in the middle of the body. Clients can then detect that
    /// the body is incomplete.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, for `Content-Length`. When it is nil, the body is sent in chunks, or until the
    ///     end of the connection for an HTTP/1.0 client.
    ///   - produce: Writes the body and returns.
    /// - Returns: The body.
    package static func stream(
        length: Int?, _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> ResponseBody {
        .stream(StreamedBody(length: length, produce: produce))
    }

    /// Returns the body with a check that is called before each part of a streamed body is sent. When it throws, the
    /// connection is closed in the middle of the body. The other kinds of bodies are returned unchanged.
    package func checked(_ check: @escaping @Sendable () async throws -> Void) -> ResponseBody {
        guard case .stream(let stream) = self else { return self }
        return .stream(length: stream.length) { writer in try await stream.produce(writer.checked(check)) }
    }

    /// The number of bytes in the body. Nil when it is not known.
    package var count: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let region): region.count
        case .stream(let stream): stream.length
        case .webSocket: nil
        }
    }

    /// Whether a WebSocket connection begins after the response.
    var isUpgrade: Bool { if case .webSocket = self { true } else { false } }

    /// The bytes of a body in memory. Nil for any other body.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }
}

/// A body that a producer writes; see ``ResponseBody/stream(length:_:)``.
///
/// A class, so that it does not make responses from memory larger.
package final class StreamedBody: Sendable {
    /// The number of bytes in the body. Nil when it is not known.
    package let length: Int?
    /// The closure that writes the body and returns.
    package let produce: @Sendable (BodyWriter) async throws -> Void

    /// Creates a body. A negative length counts as unknown.
    package init(length: Int?, produce: @escaping @Sendable (BodyWriter) async throws -> Void) {
        self.length = length.flatMap { $0 < 0 ? nil : $0 }
        self.produce = produce
    }
}
