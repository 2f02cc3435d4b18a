import Primitives

/// An e-mail address as the gateway compares it: trimmed, with A to Z in lower case, byte by byte.
///
/// Other letters are not folded: an address with U+212A, the Kelvin sign, differs from one with `k`, and two Unicode spellings
/// of one letter are two addresses. Earlier versions lower-cased every letter, so a person who was added as `Ä@example.org`
/// then is stored as `ä@example.org`, and only found by that.
///
/// Source: contract of Onyx, b.8; IM-17 for what an address must look like.
public struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    private let exact: ExactText

    /// The address, normalised.
    public var text: String { exact.text }

    /// Creates an address from the database, where it is normalised already.
    init(stored text: String) {
        exact = ExactText(text)
    }

    /// Takes whatever was typed, whether or not it is an address: for looking somebody up.
    public init(normalizing text: String) {
        exact = ExactText(ExactText.lowercasingASCII(text.trimmed))
    }

    /// Takes an address that somebody shall be added under.
    ///
    /// - Throws: ``GatewayError/Code/invalidEmail`` unless it is `local@domain` of at most 254 bytes, both parts not
    ///   empty, one `@`, without white space and control characters. Whether mail arrives there is not asked.
    ///
    /// Source: RFC 5321 §4.5.3.1.3 for the length.
    public init(_ text: String) throws(GatewayError) {
        self.init(normalizing: text)
        let parts = self.text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), self.text.utf8.count <= 254,
            !self.text.unicodeScalars.contains(where: Self.isRefused)
        else {
            throw GatewayError(
                .invalidEmail, "This is not an e-mail address: it needs one '@', text on both sides and no spaces.")
        }
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }

    /// The address.
    public var description: String { text }
}
