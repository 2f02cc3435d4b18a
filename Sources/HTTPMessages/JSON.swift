import FoundationEssentials

/// Encodes and decodes messages of a known shape as JSON.
///
/// Source: RFC 8259.
package enum JSON {
    /// The name of the media type.
    package static let mediaType = "application/json"

    /// Decodes a message. `repairsText` is as for ``JSONValue/init(parsing:repairsText:)``.
    ///
    /// - Throws: The errors of ``JSONValue/init(parsing:repairsText:)``, and ``MessageError/Code/malformed`` when a member is missing
    ///   or has the wrong type. The message names the member and does not quote the bytes.
    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], repairsText: Bool = true
    ) throws(MessageError) -> Value {
        let value = try JSONParser.parse(bytes, repairsText: repairsText)
        do {
            return try JSONValueDecoder(value: value).decode(type)
        } catch DecodingError.keyNotFound(let key, let context) {
            throw MessageError(.malformed, "The member '\(path(context.codingPath + [key]))' is missing from the JSON.")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            throw MessageError(.malformed, "The member '\(path(context.codingPath))' of the JSON has the wrong type.")
        } catch {
            throw MessageError(.malformed, "The body is not JSON.")
        }
    }

    /// Encodes a message without white space. `/` is not escaped.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        if let value = value as? JSONValue { return value.encoded() }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        do {
            return try Array(encoder.encode(value))
        } catch {
            // Encoding fails only for a number that is not finite or does not fit in 64 bits. No message contains one.
            preconditionFailure("A message could not be encoded as JSON: \(error).")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.isEmpty ? "(top)" : keys.map(\.stringValue).joined(separator: ".")
    }
}
