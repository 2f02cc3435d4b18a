extension JSONValue {
    /// Creates a value by parsing a JSON text.
    ///
    /// The time is linear in the length for every text.
    ///
    /// - Parameters:
    ///   - bytes: The JSON text.
    ///   - repairsText: Whether a string with more than 30 combining characters in a row is repaired, see
    ///     ``StreamSafeText/repair(_:)``. Default: true, so that one name does not make a whole response unreadable. False
    ///     refuses it: for requests, and where two texts with different bytes must stay different.
    /// - Throws: ``MessageError/Code/malformed`` when the bytes are not JSON or an object has two members with the same
    ///   name; ``MessageError/Code/tooLarge`` above 32 levels, 1,000,000 values or 512 characters in a number.
    ///
    /// Source: RFC 8259 §2; RFC 7493 §2.3.
    package init(parsing bytes: [UInt8], repairsText: Bool = true) throws(MessageError) {
        self = try JSONParser.parse(bytes, repairsText: repairsText)
    }

    /// Returns the JSON text: members in order, without white space, `/` not escaped.
    package func encoded() -> [UInt8] {
        var text = ""
        write(to: &text)
        return Array(text.utf8)
    }

    private func write(to text: inout String) {
        switch self {
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.write(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .string(let string): Self.write(string, to: &text)
        case .number(let number): text += number.text
        case .bool(let flag): text += flag ? "true" : "false"
        case .null: text += "null"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

extension JSONValue: Encodable {
    /// Encodes the value.
    ///
    /// - Throws: `EncodingError` for a whole number that does not fit in 64 bits and for a number outside the range of
    ///   a double; the errors of the encoder.
    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: JSONKey.self)
            for member in members { try container.encode(member.value, forKey: JSONKey(stringValue: member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let string): try container.encode(string)
            case .number(let number):
                if let whole = number.integer(Int64.self) {
                    try container.encode(whole)
                } else if let whole = number.integer(UInt64.self) {
                    try container.encode(whole)
                } else if let double = number.double, !number.isWhole {
                    try container.encode(double)
                } else {
                    let context = EncodingError.Context(
                        codingPath: encoder.codingPath, debugDescription: "The number is too large to be stored.")
                    throw EncodingError.invalidValue(self, context)
                }
            case .bool(let flag): try container.encode(flag)
            default: try container.encodeNil()
            }
        }
    }
}
