import FoundationEssentials

extension JSONValue {
    /// Parses a JSON text.
    ///
    /// - Throws: ``WireError/Code/malformed`` when it is none, is nested deeper than 512 levels, or is not UTF-8. Of two
    ///   members of one name, one survives, and a comma before the closing bracket of an array is let through.
    ///
    /// Source: RFC 8259 §2.
    public init(parsing bytes: [UInt8]) throws(WireError) {
        self = try JSON.decode(JSONValue.self, from: bytes)
    }

    /// The JSON text: members in order, no white space, `/` not escaped.
    public func encoded() -> [UInt8] {
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
        case .number(let number): text += Int64(exactly: number).map(String.init) ?? String(number)
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

extension JSONValue: Codable {
    /// Decodes any JSON value.
    public init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            self = .object(
                try container.allKeys.map { Member($0.stringValue, try container.decode(JSONValue.self, forKey: $0)) })
        } else if var container = try? decoder.unkeyedContainer() {
            var elements: [JSONValue] = []
            while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
            self = .array(elements)
        } else {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {
                self = .bool(flag)
            } else if let string = try? container.decode(String.self) {
                self = .string(string)
            } else {
                self = .number(try container.decode(Double.self))
            }
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members { try container.encode(member.value, forKey: Name(stringValue: member.name)) }
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        default:
            var container = encoder.singleValueContainer()
            switch self {
            case .string(let string): try container.encode(string)
            case .number(let number):
                if let whole = Int64(exactly: number) {
                    try container.encode(whole)
                } else {
                    try container.encode(number)
                }
            case .bool(let flag): try container.encode(flag)
            default: try container.encodeNil()
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }
}
