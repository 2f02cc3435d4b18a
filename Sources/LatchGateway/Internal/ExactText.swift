/// A text that equals another one only where both have the same bytes.
///
/// `String` takes two spellings of one letter in Unicode for equal, and `lowercased()` makes ASCII letters of some that are
/// none, such as the Kelvin sign; the database compares bytes. What tells people, groups or clients apart is compared as this.
///
/// Source: RFC 8265 §3.4 and RFC 6943 §4.2, on identifiers that are equal to one program and not to another.
struct ExactText: Hashable, Sendable {
    /// The text as it was given.
    let text: String

    init(_ text: some StringProtocol) {
        self.text = String(text)
    }

    static func == (first: ExactText, second: ExactText) -> Bool {
        first.text.utf8.elementsEqual(second.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }

    /// A text with the letters A to Z made small and everything else as it is.
    static func lowercasingASCII(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(text) }
        return String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
