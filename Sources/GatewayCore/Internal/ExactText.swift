/// A text that is compared byte by byte.
///
/// `String` treats two Unicode spellings of one letter as equal, and `lowercased()` turns some other letters into ASCII
/// letters, such as the Kelvin sign. The database compares bytes. Names of people, groups and clients are therefore
/// compared as this type.
///
/// Source: RFC 8265 §3.4 and RFC 6943 §4.2, on identifiers that only some programs treat as equal.
package struct ExactText: Hashable, Sendable {
    /// The original text.
    package let text: String

    package init(_ text: some StringProtocol) {
        self.text = String(text)
    }

    package static func == (first: ExactText, second: ExactText) -> Bool {
        first.text.utf8.elementsEqual(second.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}
