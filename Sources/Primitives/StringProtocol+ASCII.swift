extension StringProtocol {
    /// The text with the letters A to Z in lower case and everything else unchanged. Both ends compare e-mail addresses
    /// in this form: with all letters in lower case, an address with U+212A, the Kelvin sign, would be that of a person
    /// with `k`.
    package var lowercasedASCII: String {
        guard utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(self) }
        return String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    /// The first `://`, which follows the scheme of a URL. Nil when there is none.
    ///
    /// Compares bytes. `range(of:)` of the standard library took a seventh of the time to read 2,000 URLs.
    package var schemeMark: Range<Index>? {
        var rest = utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            rest = rest[colon...]
            if rest.starts(with: "://".utf8) { return colon..<rest.index(colon, offsetBy: 3) }
            rest = rest.dropFirst()
        }
        return nil
    }
}
