/// Parses an untrusted JSON text in linear time and with limited nesting.
///
/// Stricter than the grammar where parsers differ. An object must not have two members with the same name. A string
/// must not contain an unpaired surrogate. One that is not ``StreamSafeText`` is repaired or refused.
///
/// Source: RFC 8259; RFC 7493 §2.1 and §2.3.
struct JSONParser {
    /// The maximum nesting depth of arrays and objects.
    static let maximumDepth = 32
    /// The maximum number of values in a text. The largest request body, 1 MiB, cannot contain more than about 525,000.
    static let maximumValues = 1_000_000
    /// The maximum length of a number, in characters.
    static let maximumNumberLength = 512

    private let bytes: [UInt8]
    private let repairsText: Bool
    private var position = 0
    private var values = 0

    /// Parses a complete text.
    static func parse(_ bytes: [UInt8], repairsText: Bool) throws(MessageError) -> JSONValue {
        var parser = JSONParser(bytes: bytes, repairsText: repairsText)
        let value = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.position == bytes.count else { throw malformed }
        return value
    }

    private init(bytes: [UInt8], repairsText: Bool) {
        self.bytes = bytes
        self.repairsText = repairsText
    }

    private static let malformed = MessageError(.malformed, "The body is not JSON.")

    private mutating func value(depth: Int) throws(MessageError) -> JSONValue {
        skipSpace()
        values += 1
        guard values <= Self.maximumValues else {
            throw MessageError(.tooLarge, "The JSON has more than \(Self.maximumValues) values.")
        }
        switch next {
        case UInt8(ascii: "{"): return try object(depth: deeper(depth))
        case UInt8(ascii: "["): return try array(depth: deeper(depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private func deeper(_ depth: Int) throws(MessageError) -> Int {
        guard depth < Self.maximumDepth else {
            throw MessageError(.tooLarge, "The JSON is nested deeper than \(Self.maximumDepth) levels.")
        }
        return depth + 1
    }

    private mutating func object(depth: Int) throws(MessageError) -> JSONValue {
        position += 1
        var members: [JSONValue.Member] = []
        var names = UniqueNames()
        if skip(UInt8(ascii: "}")) { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw Self.malformed }
            let name = try string()
            guard names.insert(name, after: members) else {
                throw MessageError(.malformed, "A JSON object has two members with the same name.")
            }
            guard skip(UInt8(ascii: ":")) else { throw Self.malformed }
            members.append(JSONValue.Member(name, try value(depth: depth)))
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "}")) else { throw Self.malformed }
        return .object(members)
    }

    private mutating func array(depth: Int) throws(MessageError) -> JSONValue {
        position += 1
        var elements: [JSONValue] = []
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        repeat {
            elements.append(try value(depth: depth))
        } while skip(UInt8(ascii: ","))
        guard skip(UInt8(ascii: "]")) else { throw Self.malformed }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(MessageError) -> JSONValue {
        let end = position + word.utf8CodeUnitCount
        guard end <= bytes.count, bytes[position..<end].elementsEqual(word.description.utf8) else {
            throw Self.malformed
        }
        position = end
        return value
    }

    private mutating func number() throws(MessageError) -> JSONNumber {
        let start = position
        consume(UInt8(ascii: "-"))
        if !consume(UInt8(ascii: "0")) { try digits() }
        if consume(UInt8(ascii: ".")) { try digits() }
        if consume(UInt8(ascii: "e")) || consume(UInt8(ascii: "E")) {
            if !consume(UInt8(ascii: "+")) { consume(UInt8(ascii: "-")) }
            try digits()
        }
        guard position - start <= Self.maximumNumberLength else {
            throw MessageError(.tooLarge, "A JSON number has more than \(Self.maximumNumberLength) characters.")
        }
        return JSONNumber(checked: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func digits() throws(MessageError) {
        let start = position
        var byte = next
        while byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
            position += 1
            byte = next
        }
        guard position > start else { throw Self.malformed }
    }

    private mutating func string() throws(MessageError) -> String {
        position += 1
        let start = position
        var unescaped: [UInt8]?
        while true {
            let byte = next
            if byte == UInt8(ascii: "\"") { break }
            guard byte >= 0x20 else { throw Self.malformed }
            if byte == UInt8(ascii: "\\") {
                if unescaped == nil { unescaped = Array(bytes[start..<position]) }
                unescaped?.append(contentsOf: String(try escape()).utf8)
            } else {
                unescaped?.append(byte)
                position += 1
            }
        }
        guard let text = String(validating: unescaped ?? Array(bytes[start..<position]), as: UTF8.self),
            repairsText || StreamSafeText.isStreamSafe(text)
        else { throw Self.malformed }
        position += 1
        return repairsText ? StreamSafeText.repair(text) : text
    }

    private mutating func escape() throws(MessageError) -> Unicode.Scalar {
        guard position + 1 < bytes.count else { throw Self.malformed }
        let sign = bytes[position + 1]
        position += 2
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(sign)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw Self.malformed
        }
    }

    /// Reads one UTF-16 code unit in four hexadecimal digits, or two that form a surrogate pair.
    private mutating func unicodeEscape() throws(MessageError) -> Unicode.Scalar {
        let unit = try codeUnit()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        guard UTF16.isLeadSurrogate(unit), consume(UInt8(ascii: "\\")), consume(UInt8(ascii: "u")) else {
            throw Self.malformed
        }
        let trail = try codeUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw Self.malformed }
        let value = 0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(trail) - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw Self.malformed }
        return scalar
    }

    private mutating func codeUnit() throws(MessageError) -> UInt16 {
        guard position + 4 <= bytes.count else { throw Self.malformed }
        var unit: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            guard let digit = PercentEncoding.digit(byte) else { throw Self.malformed }
            unit = unit << 4 | UInt16(digit)
        }
        position += 4
        return unit
    }

    /// The next byte, or 0 at the end of the text. No JSON text contains a byte 0, so the two are refused alike. An
    /// optional would cost four times as much in a build without optimization, in which the tests run.
    private var next: UInt8 { position < bytes.count ? bytes[position] : 0 }

    /// Skips `byte` if it is next. Returns whether it was.
    @discardableResult
    private mutating func consume(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    /// Skips white space, and `byte` if it follows. Returns whether it did.
    private mutating func skip(_ byte: UInt8) -> Bool {
        skipSpace()
        return consume(byte)
    }

    private mutating func skipSpace() {
        var byte = next
        while byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
            byte = next
        }
    }
}

extension JSONParser {
    /// The names of an object's members, compared byte by byte. A set is used only for objects with many members.
    private struct UniqueNames {
        private static let few = 8
        private var set: Set<[UInt8]> = []

        /// Adds `name`, and returns whether it is not among `members`, which were added before it.
        mutating func insert(_ name: String, after members: [JSONValue.Member]) -> Bool {
            if members.count < Self.few { return !members.contains { $0.name.hasSameBytes(as: name) } }
            if set.isEmpty { set = Set(members.map { Array($0.name.utf8) }) }
            return set.insert(Array(name.utf8)).inserted
        }
    }
}
