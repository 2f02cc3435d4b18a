import HostNames

/// Converts a host to its canonical form: a name in ASCII and lower case, or an IP literal.
///
/// Source: UTS #46 §4; RFC 5952.
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
        let host: String
        do {
            host = try HostNames.ascii(text)
        } catch {
            throw AddressParts.refusal("its host " + error.rawValue)
        }
        if let last = host.split(separator: ".").last, isNumber(last) || last.hasPrefix("0x") {
            guard isIPv4(host) else { throw AddressParts.refusal("its IPv4 address is not four numbers from 0 to 255") }
        }
        return host
    }

    private static func isNumber(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
