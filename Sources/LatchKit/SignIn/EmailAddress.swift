import Primitives

/// An e-mail address for sign-in, with an `@` and without white space.
///
/// The letters A to Z are in lower case. Others are unchanged, because `latchd` compares addresses so: in lower case, an
/// address with U+212A, the Kelvin sign, would be that of another person with `k`.
///
/// The existence of the mailbox is not checked. Only the server knows it.
///
/// Source: IM-17; docs/protocols/onyx.md, Sign-in with a password.
public struct EmailAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address, with the letters A to Z in lower case.
    public let text: String

    /// Validates an address.
    ///
    /// - Throws: ``LatchError/Code/invalidEmail`` when `@` is missing or at either end, when the text contains white
    ///   space or a control character, even at the ends, or when it is longer than 320 bytes.
    public init(_ text: String) throws(LatchError) {
        let scalars = text.unicodeScalars
        guard !scalars.contains(where: { $0.properties.isWhitespace || $0.properties.generalCategory == .control })
        else {
            throw LatchError(.invalidEmail, "The e-mail address contains a space. Remove it, as in name@example.org.")
        }
        guard let at = text.lastIndex(of: "@"), at > text.startIndex, at < text.index(before: text.endIndex) else {
            throw LatchError(
                .invalidEmail, "The e-mail address needs an @ between a name and a domain, as in name@example.org.")
        }
        guard text.utf8.count <= 320 else {
            throw LatchError(.invalidEmail, "The e-mail address is longer than 320 bytes. Check that it is an address.")
        }
        self.text = text.lowercasedASCII
    }

    /// Validates an address as a person typed it. Leading and trailing white space is ignored.
    ///
    /// - Throws: ``LatchError/Code/invalidEmail``.
    public init(typed text: String) throws(LatchError) {
        let body = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let end = body.lastIndex { !$0.properties.isWhitespace }
        try self.init(end.map { String(body[...$0]) } ?? "")
    }

    /// The address, with the letters A to Z in lower case.
    public var description: String { text }
}

extension EmailAddress: Codable {
    /// Decodes and validates an address from text.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the address as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
