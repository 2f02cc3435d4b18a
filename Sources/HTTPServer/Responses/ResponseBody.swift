/// The body of an answer: bytes in memory, a part of a file, or what a task writes as it comes.
public enum ResponseBody: Sendable, ExpressibleByArrayLiteral {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A part of a file, sent by the system without a copy through this process where the connection allows it.
    case file(FileRegion)
    /// What a producer writes while the client reads.
    case stream(StreamedBody)

    /// A body of single bytes; mostly the empty one.
    public init(arrayLiteral elements: UInt8...) {
        self = .bytes(elements)
    }

    /// A body that is written while the client reads.
    ///
    /// The producer runs on the connection's loop, so it must not block; it is never started for `HEAD`, 204 and 304.
    /// When the client goes away its task is cancelled. When it throws, or writes another number of bytes than `length`,
    /// the connection is cut in the middle of the body, so that no client takes the part for the whole.
    ///
    /// - Parameters:
    ///   - length: How many bytes there will be, for `Content-Length`; nil where nobody knows, and then the body goes in
    ///     chunks (to an HTTP/1.0 client it ends with the connection).
    ///   - produce: Writes the body and returns.
    /// - Returns: The body.
    public static func stream(
        length: Int?, _ produce: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> ResponseBody {
        .stream(StreamedBody(length: length, produce: produce))
    }

    /// The bytes that will be sent; nil where nobody knows yet.
    public var count: Int? {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let region): region.count
        case .stream(let stream): stream.length
        }
    }

    /// The bytes, of a body in memory; nil for any other.
    public var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }
}

/// A body that a producer writes; see ``ResponseBody/stream(length:_:)``.
///
/// An object, so that an answer from memory is no larger for it.
public final class StreamedBody: Sendable {
    /// How many bytes there will be; nil where nobody knows.
    public let length: Int?
    /// Writes the body and returns.
    public let produce: @Sendable (BodyWriter) async throws -> Void

    /// Makes a body; a negative length counts as unknown.
    public init(length: Int?, produce: @escaping @Sendable (BodyWriter) async throws -> Void) {
        self.length = length.flatMap { $0 < 0 ? nil : $0 }
        self.produce = produce
    }
}
