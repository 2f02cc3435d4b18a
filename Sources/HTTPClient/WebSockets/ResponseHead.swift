package import HTTPMessages

/// The status and the header fields of a response.
///
/// Source: RFC 9112 §4 and §5.
package struct ResponseHead: Equatable, Sendable {
    /// The status code.
    package var status: HTTPStatus
    /// The header fields.
    package var headers = HTTPHeaders()

    /// Parses the lines of a head, without the empty line at its end. Returns nil when a line is invalid.
    init?(_ bytes: some Collection<UInt8>) {
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars.split(
            separator: "\r\n".unicodeScalars, omittingEmptySubsequences: false)
        guard let first = lines.first, let status = Self.status(first) else { return nil }
        self.status = status
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), line.first != " ", line.first != "\t" else { return nil }
            let name = String(line[..<colon])
            let value = Self.trimmed(line[line.index(after: colon)...])
            guard HTTPHeaders.isSafe(name: name, value: value) else { return nil }
            headers.append(name, value)
        }
    }

    private static func status(_ line: Substring.UnicodeScalarView) -> HTTPStatus? {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", words[1].utf8.count == 3,
            let number = Int(words[1]), (100...599).contains(number)
        else { return nil }
        return HTTPStatus(rawValue: number)
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        var rest = text.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}

/// Collects the bytes of a connection until the head of a response is complete. Interim responses are skipped.
///
/// Source: RFC 9110 §15.2.
package struct ResponseHeadReader {
    /// The maximum size of a head with the interim responses before it, in bytes.
    package static let maximumBytes = 16 << 10

    /// The bytes after the head.
    package private(set) var rest: [UInt8] = []
    private var consumed = 0

    package init() {}

    /// Why there is no head.
    package enum Failure: Error, Equatable {
        /// The bytes are no response.
        case malformed
        /// The head is larger than ``ResponseHeadReader/maximumBytes``.
        case tooLarge
    }

    /// Adds bytes. Returns the head once it is complete.
    package mutating func append(_ bytes: [UInt8]) throws(Failure) -> ResponseHead? {
        // The end of the head may begin in the bytes before these.
        var start = max(0, rest.count - 3)
        rest += bytes
        while let end = Self.end(in: rest, from: start) {
            guard consumed + end + 4 <= Self.maximumBytes else { throw .tooLarge }
            guard let head = ResponseHead(rest[..<end]) else { throw .malformed }
            rest.removeFirst(end + 4)
            consumed += end + 4
            guard (100..<200).contains(head.status.rawValue), head.status.rawValue != 101 else { return head }
            start = 0
        }
        guard consumed + rest.count < Self.maximumBytes else { throw .tooLarge }
        return nil
    }

    /// Returns the index of the first empty line.
    private static func end(in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= start + 4 else { return nil }
        return (start...(bytes.count - 4)).first { index in
            bytes[index] == 0x0D && bytes[index + 1] == 0x0A && bytes[index + 2] == 0x0D && bytes[index + 3] == 0x0A
        }
    }
}
