/// A request as parsed by a strict implementation of the grammar.
///
/// It shares no code with the server, so tests can compare the two.
///
/// Source: RFC 9112 §2 to §6.
public struct RawReading: Sendable {
    /// The request method.
    public let method: String
    /// The request target, unchanged.
    public let target: String
    /// The header fields in order, with names in lower case and values without surrounding white space.
    public let fields: [(name: String, value: String)]
    /// The body, with the length given by `Content-Length`.
    public let body: [UInt8]

    /// Returns the values of a field.
    public func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Parses the first request in `bytes`. Returns nil when it is malformed or incomplete.
    public init?(_ bytes: [UInt8]) {
        var start = bytes[...]
        while start.starts(with: [13, 10]) { start = start.dropFirst(2) }
        guard let end = start.firstRange(of: [13, 10, 13, 10]) else { return nil }
        guard let lines = Self.lines(start[..<end.lowerBound]), let first = lines.first,
            let line = Self.requestLine(first)
        else { return nil }
        var fields: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let field = Self.field(line) else { return nil }
            fields.append(field)
        }
        (method, target) = line
        self.fields = fields
        guard let length = Self.length(fields), start[end.upperBound...].count >= length else { return nil }
        body = Array(start[end.upperBound...].prefix(length))
    }

    private static func lines(_ head: ArraySlice<UInt8>) -> [[UInt8]]? {
        var lines: [[UInt8]] = [[]]
        var rest = head
        while let byte = rest.popFirst() {
            if byte == 13, rest.popFirst() == 10 {
                lines.append([])
            } else if byte < 32 && byte != 9 || byte == 127 {
                return nil
            } else {
                lines[lines.count - 1].append(byte)
            }
        }
        return lines
    }

    private static func requestLine(_ line: [UInt8]) -> (String, String)? {
        let fields = line.split(separator: 32, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard fields.count == 3, isToken(fields[0]), fields[1].utf8.allSatisfy({ $0 > 32 && $0 < 127 }),
            fields[2] == "HTTP/1.1" || fields[2] == "HTTP/1.0"
        else { return nil }
        return (fields[0], fields[1])
    }

    private static func field(_ line: [UInt8]) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: 58) else { return nil }
        let name = String(decoding: line[..<colon], as: UTF8.self)
        guard isToken(name) else { return nil }
        var value = line[line.index(after: colon)...]
        while let byte = value.first, byte == 32 || byte == 9 { value.removeFirst() }
        while let byte = value.last, byte == 32 || byte == 9 { value.removeLast() }
        return (name.lowercased(), String(decoding: value, as: UTF8.self))
    }

    private static func length(_ fields: [(name: String, value: String)]) -> Int? {
        guard !fields.contains(where: { $0.name == "transfer-encoding" }) else { return nil }
        let lengths = fields.filter { $0.name == "content-length" }
        guard let length = lengths.first?.value else { return 0 }
        guard lengths.count == 1, length.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return Int(length)
    }

    private static func isToken(_ text: String) -> Bool {
        let others = "!#$%&'*+-.^_`|~".utf8
        return !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || others.contains(byte)
            }
    }
}
