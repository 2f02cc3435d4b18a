import TestSupport

/// A request over HTTP/2 with fields exactly as given, also those that HTTP/2 forbids.
///
/// Every field is a literal without indexing or Huffman coding, so names and values have at most 126 bytes.
///
/// Source: RFC 9113 §4.1, §6.1, §6.2 and §6.5; RFC 7541 §6.2.2.
struct HTTP2Request: Sendable {
    var fields: [(name: String, value: String)]
    /// A body without a length.
    var body = ""
    /// The fields after the body.
    var trailers: [(name: String, value: String)] = []

    /// Sends the request on a new connection, and returns the content of the response. Empty for a response without content and
    /// for a refusal of the stream or connection.
    func content(_ socket: RawSocket) throws -> [UInt8] {
        let isComplete = body.isEmpty && trailers.isEmpty
        var bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4, 0, stream: 0, [])
        bytes += Self.frame(1, isComplete ? 5 : 4, stream: 1, Self.block(fields))
        if !body.isEmpty { bytes += Self.frame(0, trailers.isEmpty ? 1 : 0, stream: 1, Array(body.utf8)) }
        if !trailers.isEmpty { bytes += Self.frame(1, 5, stream: 1, Self.block(trailers)) }
        try socket.write(bytes)
        var received: [UInt8] = []
        var content: [UInt8] = []
        while true {
            while received.count >= 9 {
                let length = received.prefix(3).reduce(0) { $0 << 8 | Int($1) }
                guard received.count >= 9 + length else { break }
                let (type, flags, payload) = (received[3], received[4], received[9..<(9 + length)])
                received.removeFirst(9 + length)
                switch type {
                case 0: content += payload
                // RST_STREAM and GOAWAY.
                case 3, 7: return content
                default: break
                }
                if type <= 1, flags & 1 != 0 { return content }
            }
            // A proxy may also reset the connection.
            guard let chunk = try? socket.readSome(), !chunk.isEmpty else { return content }
            received += chunk
        }
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = UInt32(payload.count)
        let head: [UInt8] = [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags]
        return head + [0, 0, 0, stream] + payload
    }

    private static func block(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var block: [UInt8] = []
        for field in fields {
            block.append(0)
            for text in [field.name, field.value] {
                block.append(UInt8(text.utf8.count))
                block += text.utf8
            }
        }
        return block
    }
}
