/// A response as received from the connection.
public struct RawResponse: Sendable {
    /// The status code.
    public let status: Int
    /// The header lines, unchanged.
    public let fields: [String]
    /// The body, with the length given by `Content-Length`.
    public let body: [UInt8]

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }
    /// Whether the server announced that it closes the connection.
    public var isLast: Bool { self["connection"]?.lowercased() == "close" }

    /// Returns the value of a header field. Nil when there is no such field.
    public subscript(_ name: String) -> String? {
        let start = name.lowercased() + ":"
        guard let line = fields.first(where: { $0.lowercased().hasPrefix(start) }) else { return nil }
        return String(line.dropFirst(start.count).drop { $0 == " " })
    }

    /// Parses the complete responses in `bytes`, up to the first one that closes the connection. Remaining bytes are
    /// ignored.
    ///
    /// Source: RFC 9112 §6.3 for the lengths. Interim, 204 and 304 responses have no body.
    public static func all(in bytes: [UInt8]) -> [RawResponse] {
        var answers: [RawResponse] = []
        var rest = bytes[...]
        while let end = Bytes.headEnd(in: rest) {
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n").map(String.init)
            let statusLine = lines.first?.split(separator: " ") ?? []
            guard statusLine.count > 1, statusLine[0].hasPrefix("HTTP/1."), let status = Int(statusLine[1]) else {
                break
            }
            let head = RawResponse(status: status, fields: Array(lines.dropFirst()), body: [])
            let length = status < 200 || status == 204 || status == 304 ? 0 : Int(head["content-length"] ?? "0") ?? 0
            rest = rest[(end + 4)...]
            guard rest.count >= length else { break }
            answers.append(RawResponse(status: status, fields: head.fields, body: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
            if head.isLast { break }
        }
        return answers
    }
}
