import NormalizedText

/// Converts a host to its canonical form: a name in ASCII and lower case, or an IP literal.
///
/// Source: RFC 5891 §4 and §5; UTS #46 §4 without its exceptions; RFC 5952.
enum HostName {
    static func canonical(_ text: String, bracketed: Bool) throws(LatchError) -> String {
        if bracketed {
            guard !text.contains("%") else {
                throw AddressParts.refusal(
                    "the meaning of an IPv6 address with a zone (%) depends on the machine",
                    "Use the server's name or an address without a zone.")
            }
            guard let literal = IPv6Literal(text) else { throw AddressParts.refusal("its IPv6 address is not valid") }
            return literal.description
        }
        return try name(text)
    }

    /// Returns whether the text is four decimal numbers from 0 to 255, without leading zeros.
    static func isIPv4(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                part.utf8.count <= 3 && isNumber(part) && (part == "0" || !part.hasPrefix("0"))
                    && (Int(part) ?? 256) <= 255
            }
    }

    private static func name(_ text: String) throws(LatchError) -> String {
        guard !text.isEmpty else { throw AddressParts.refusal("its host is missing") }
        guard !text.utf8.contains(UInt8(ascii: "%")) else { throw AddressParts.refusal("its host contains a %") }
        var mapped = try mapped(text)
        if mapped.utf8.last == UInt8(ascii: ".") { mapped.removeLast() }
        var labels: [String] = []
        for label in mapped.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            labels.append(try ascii(Substring(label)))
        }
        let host = labels.joined(separator: ".")
        guard host.utf8.count <= 253 else { throw AddressParts.refusal("its host is longer than 253 characters") }
        if let last = labels.last, isNumber(last[...]) || last.hasPrefix("0x") {
            guard isIPv4(host) else { throw AddressParts.refusal("its IPv4 address is not four numbers from 0 to 255") }
        }
        return host
    }

    /// Returns the name in lower case and compatibility composition, which unifies equivalent characters.
    private static func mapped(_ text: String) throws(LatchError) -> String {
        if text.utf8.allSatisfy({ isNameByte($0) || $0 == UInt8(ascii: ".") }) { return text }
        guard let composed = NormalizedText.compatibilityComposed(text.lowercased()) else {
            throw AddressParts.refusal("its host is not valid text")
        }
        // Ideographic full stops also separate labels. Compatibility composition does not replace this one.
        return composed.lowercased().replacing("\u{3002}", with: ".")
    }

    private static func ascii(_ label: Substring) throws(LatchError) -> String {
        guard !label.isEmpty else { throw AddressParts.refusal("its host has an empty part") }
        let ascii: String
        if label.utf8.allSatisfy({ $0 < 0x80 }) {
            ascii = String(label)
            try checkPunycode(ascii)
        } else {
            guard label.unicodeScalars.allSatisfy(mayStandInName), let encoded = Punycode.encode(label) else {
                throw AddressParts.refusal("its host contains a character that names must not contain")
            }
            ascii = "xn--" + encoded
        }
        guard ascii.utf8.allSatisfy(isNameByte) else {
            throw AddressParts.refusal("its host contains a character that names must not contain")
        }
        guard !ascii.hasPrefix("-"), !ascii.hasSuffix("-") else {
            throw AddressParts.refusal("a part of its host begins or ends with a hyphen")
        }
        guard ascii.utf8.count <= 63 else {
            throw AddressParts.refusal("a part of its host is longer than 63 characters")
        }
        return ascii
    }

    private static func checkPunycode(_ label: String) throws(LatchError) {
        guard label.hasPrefix("xn--") else { return }
        guard let decoded = Punycode.decode(label.dropFirst(4)), decoded.contains(where: { !$0.isASCII }) else {
            throw AddressParts.refusal("a part of its host begins with xn-- and is not valid Punycode")
        }
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    // Underscores are not valid in host names, but names in home networks contain them.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func mayStandInName(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return isNameByte(UInt8(scalar.value)) }
        // ZERO WIDTH JOINER and NON-JOINER are excluded. They require contextual rules, and the registries that home
        // servers use do not rely on them.
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber,
            .otherSymbol:
            return true
        default: return false
        }
    }
}
