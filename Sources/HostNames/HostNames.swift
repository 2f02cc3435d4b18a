import CIDN2

/// Converts international host names to ASCII.
///
/// Source: UTS #46 §4, non-transitional processing; `idn2.h` of libidn2.
package enum HostNames {
    /// Returns a host name in ASCII and lower case, as DNS, TLS and HTTP use it.
    ///
    /// Names convert as in browsers, so `Straße.example` becomes `xn--strae-oqa.example`. Labels that already begin with
    /// `xn--` are decoded and checked. Underscores are accepted, because names in home networks contain them. Three
    /// kinds of labels are refused that browsers accept: with a hyphen at the beginning or end; outside ASCII, with
    /// hyphens as third and fourth character; with a symbol next to `ß`, `ς` or characters written from right to left.
    ///
    /// - Parameter name: A name with or without a trailing dot. Ideographic and full-width dots separate labels too.
    /// - Returns: The name without a trailing dot, at most 253 characters long.
    /// - Throws: The first reason why the name is not valid.
    package static func ascii(_ name: String) throws(HostNameError) -> String {
        var labels = name.unicodeScalars.split(omittingEmptySubsequences: false, whereSeparator: isDot)
        if labels.count > 1, labels.last?.isEmpty == true { labels.removeLast() }
        var converted: [String] = []
        for label in labels { converted.append(try ascii(label: String(label))) }
        let host = converted.joined(separator: ".")
        guard host.utf8.count <= 253 else { throw .nameTooLong }
        return host
    }

    private static func ascii(label: String) throws(HostNameError) -> String {
        var ascii = label.utf8.allSatisfy { $0 < 0x80 } ? label.lowercased() : nil
        if ascii == nil || ascii?.hasPrefix("xn--") == true { ascii = try converted(label) }
        guard let ascii, !ascii.isEmpty else { throw .emptyLabel }
        guard ascii.utf8.allSatisfy(isNameByte) else { throw .disallowedCharacter }
        guard !ascii.hasPrefix("-"), !ascii.hasSuffix("-") else { throw .hyphenAtEdge }
        guard ascii.utf8.count <= 63 else { throw .labelTooLong }
        return ascii
    }

    /// Converts a label with libidn2.
    ///
    /// By IDNA 2008 libidn2 refuses symbols such as emoji, which UTS #46 allows. Transitional processing accepts them,
    /// and otherwise differs only in the four characters that it maps or removes, and in fewer checks. So a refused
    /// label is converted that way if it has none of these characters, and if it is valid with letters for its symbols.
    private static func converted(_ label: String) throws(HostNameError) -> String {
        let (code, ascii) = lookup(label, IDN2_NONTRANSITIONAL)
        if code == IDN2_OK { return ascii }
        let deviations: [Unicode.Scalar] = ["\u{DF}", "\u{3C2}", "\u{200C}", "\u{200D}"]
        if code == IDN2_DISALLOWED, !label.unicodeScalars.contains(where: deviations.contains),
            case (IDN2_OK, let ascii) = lookup(label, IDN2_TRANSITIONAL), let text = decoded(ascii)
        {
            let letters = text.unicodeScalars.map { scalar in
                lookup(String(scalar), IDN2_NONTRANSITIONAL).code == IDN2_DISALLOWED ? "x" : String(scalar)
            }
            if lookup(letters.joined(), IDN2_NONTRANSITIONAL).code == IDN2_OK { return ascii }
        }
        throw error(code, isEncoded: label.lowercased().hasPrefix("xn--"))
    }

    // The flag for STD3 rules is not set: libidn2 then removes ASCII characters that the rules forbid, and returns
    // another name instead of an error. `isNameByte` enforces the rules.
    private static func lookup(_ label: String, _ mode: idn2_flags) -> (code: idn2_rc, ascii: String) {
        guard !label.utf8.contains(0) else { return (IDN2_DISALLOWED, "") }
        var ascii: UnsafeMutablePointer<UInt8>?
        let code = idn2_lookup_u8(label, &ascii, Int32(IDN2_NFC_INPUT.rawValue | mode.rawValue))
        defer { idn2_free(ascii) }
        return (idn2_rc(code), ascii.map { String(cString: $0) } ?? "")
    }

    private static func decoded(_ label: String) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        let code = idn2_to_unicode_8z8z(label, &text, 0)
        defer { idn2_free(text) }
        return code == IDN2_OK.rawValue ? text.map { String(cString: $0) } : nil
    }

    private static func error(_ code: idn2_rc, isEncoded: Bool) -> HostNameError {
        switch code {
        case IDN2_HYPHEN_STARTEND: .hyphenAtEdge
        case IDN2_2HYPHEN: .twoHyphens
        case IDN2_LEADING_COMBINING: .leadingMark
        case IDN2_BIDI: .mixedDirections
        case IDN2_TOO_BIG_LABEL, IDN2_TOO_BIG_DOMAIN, IDN2_PUNYCODE_BIG_OUTPUT: .labelTooLong
        case IDN2_PUNYCODE_BAD_INPUT, IDN2_PUNYCODE_OVERFLOW: .invalidPunycode
        case IDN2_MALLOC: .outOfMemory
        default: isEncoded ? .notNormalized : .disallowedCharacter
        }
    }

    private static func isDot(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ".", "\u{3002}", "\u{FF0E}", "\u{FF61}": true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
