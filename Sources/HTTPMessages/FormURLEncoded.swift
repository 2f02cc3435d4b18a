/// The media type `application/x-www-form-urlencoded`, which is also the format of a query.
///
/// Source: WHATWG URL Standard §5; RFC 6749 appendix B.
package enum FormURLEncoded {
    /// The name of the media type.
    package static let mediaType = "application/x-www-form-urlencoded"

    /// The maximum number of fields. A form with more fields is refused.
    package static let maximumFields = 1_000

    /// Decodes the bytes of a form. `+` is a space, `%hh` is a byte, and names and values are UTF-8 without NUL.
    ///
    /// Empty sequences between `&` are skipped. A sequence without `=` is a name with an empty value.
    ///
    /// - Throws: ``MessageError/Code/malformed`` for a broken escape, a NUL, bytes that are not UTF-8 or text that is not
    ///   ``StreamSafeText``, naming the field's position; ``MessageError/Code/tooLarge`` above ``maximumFields``.
    ///
    /// Source: WHATWG URL Standard §5.1, but stricter: a broken escape is refused, whereas a browser keeps it.
    package static func decode(_ bytes: some Collection<UInt8>) throws(MessageError) -> FormFields {
        try fields(of: Array(bytes))
    }

    // Not generic: called from another module, a generic body would look up the type of the elements for each byte.
    private static func fields(of bytes: [UInt8]) throws(MessageError) -> FormFields {
        var fields = FormFields()
        for sequence in bytes.split(separator: UInt8(ascii: "&")) {
            guard fields.pairs.count < maximumFields else {
                throw MessageError(.tooLarge, "The form has more than \(maximumFields) fields.")
            }
            let position = fields.pairs.count + 1
            let halves = sequence.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try text(halves[0], position)
            let value = halves.count > 1 ? try text(halves[1], position) : ""
            fields.pairs.append((name, value))
        }
        return fields
    }

    /// Decodes the text of a form, see ``decode(_:)-1``.
    package static func decode(_ text: String) throws(MessageError) -> FormFields {
        try decode(Array(text.utf8))
    }

    /// Encodes pairs in order. Letters, digits and `*-._` are not escaped, and a space becomes `+`.
    ///
    /// Source: WHATWG URL Standard §5.2.
    package static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { escaped($0.0) + "=" + escaped($0.1) }.joined(separator: "&")
    }

    private static func text(_ bytes: ArraySlice<UInt8>, _ position: Int) throws(MessageError) -> String {
        if bytes.allSatisfy(PercentEncoding.isUnreserved) { return String(decoding: bytes, as: UTF8.self) }
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let text = PercentEncoding.decode(spaced) else {
            throw MessageError(.malformed, "Field \(position) of the form is not percent-encoded UTF-8.")
        }
        return text
    }

    private static func escaped(_ text: String) -> String {
        PercentEncoding.encode(text, space: UInt8(ascii: "+")) { byte in
            switch byte {
            case UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
            default: PercentEncoding.isAlphanumeric(byte)
            }
        }
    }
}
