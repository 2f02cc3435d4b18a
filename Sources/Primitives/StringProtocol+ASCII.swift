extension StringProtocol {
    /// The text with the letters A to Z in lower case and everything else unchanged. Both ends compare e-mail addresses
    /// in this form: with all letters in lower case, an address with U+212A, the Kelvin sign, would be that of a person
    /// with `k`.
    package var lowercasedASCII: String {
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(self) }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
