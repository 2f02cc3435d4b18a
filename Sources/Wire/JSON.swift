import FoundationEssentials

/// Reads and writes messages of a known shape as JSON.
///
/// Source: RFC 8259.
public enum JSON {
    /// The media type's name.
    public static let mediaType = "application/json"

    /// Decodes a message.
    ///
    /// - Throws: What ``JSONValue/init(parsing:)`` throws, and ``WireError/Code/malformed`` when a member is missing or has
    ///   the wrong type; the message names the member and quotes none of the bytes.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(WireError) -> Value {
        let value = try JSONParser.parse(bytes)
        do {
            return try JSONValueDecoder(value: value).decode(type)
        } catch DecodingError.keyNotFound(let key, let context) {
            throw WireError(.malformed, "The member '\(path(context.codingPath + [key]))' is missing from the JSON.")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw WireError(.malformed, "The member '\(path(context.codingPath))' of the JSON has the wrong type.")
        } catch {
            throw WireError(.malformed, "The body is not JSON.")
        }
    }

    /// Encodes a message: no white space, `/` not escaped.
    public static func encode(_ value: some Encodable) -> [UInt8] {
        if let value = value as? JSONValue { return value.encoded() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return try Array(encoder.encode(value))
        } catch {
            // Only a number that is not finite or is beyond 64 bits fails, and no message has one.
            preconditionFailure("A message could not be written as JSON: \(error).")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "(top)" : keys.map(\.stringValue).joined(separator: ".")
    }
}
