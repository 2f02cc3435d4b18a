import Primitives

/// A normalised e-mail address: trimmed, with the letters A to Z in lower case. Addresses are compared byte by byte.
///
/// Other letters are not changed: an address with U+212A, the Kelvin sign, differs from one with `k`, and two Unicode
/// spellings of one letter are two addresses. Earlier versions lower-cased every letter. A person who was added by them
/// as `Ä@example.org` is stored as `ä@example.org` and is found only by that address.
///
/// Source: docs/protocols/onyx.md, Sign-in with a password; IM-17 for what an address must look like.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    private let exact: ExactText

    /// The normalised address.
    package var text: String { exact.text }

    /// Creates an address from the database, where it is already normalised.
    package init(stored text: String) {
        exact = ExactText(text)
    }

    /// Creates an address for a lookup. The text is normalised but not validated.
    package init(normalizing text: String) {
        exact = ExactText(text.trimmed.lowercasedASCII)
    }

    /// Creates a normalised address from text and validates it.
    ///
    /// - Throws: ``GatewayError/Code/invalidEmail`` unless the address is `local@domain` of at most 254 bytes, with two
    ///   non-empty parts, one `@`, no white space, no characters that are not visible, and none of those that separate
    ///   addresses in a list. Otherwise two addresses could look the same to an administrator. Whether
    ///   the address receives mail is not checked.
    ///
    /// Source: RFC 5321 §4.5.3.1.3 for the length; RFC 5322 §3.4 for the separators.
    package init(_ text: String) throws(GatewayError) {
        self.init(normalizing: text)
        let parts = self.text.split(atByte: "@", omittingEmptySubsequences: false)
        // With a combining mark, the `@` would look like another character.
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), self.text.contains("@"),
            self.text.utf8.count <= 254, !self.text.unicodeScalars.contains(where: Self.isRefused)
        else {
            throw GatewayError(
                .invalidEmail,
                "This is not an e-mail address: it needs one '@', and visible characters without spaces on both sides.")
        }
    }

    private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.isInvisible || "<>(),;\"\\".unicodeScalars.contains(scalar)
    }

    /// The normalised address.
    package var description: String { text }
}
