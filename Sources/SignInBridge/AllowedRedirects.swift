import HTTPMessages

/// The addresses in apps that a sign-in may end at.
///
/// An address must equal a listed address byte for byte. A prefix, the host alone, different case or an equivalent
/// spelling does not match. Only the port of a loopback address can be left open, because a desktop app uses the port
/// that the system assigns.
///
/// Source: OX-2; RFC 9700 §2.1 and §4.1.3; RFC 8252 §7.3 and §8.10.
package struct AllowedRedirects: Sendable {
    /// The addresses that are allowed exactly as listed.
    private let whole: Set<[UInt8]>
    /// The loopback addresses that are allowed with any port, stored without their port.
    private let portless: Set<[UInt8]>
    private let acceptsLocalhost: Bool

    /// The loopback addresses that are allowed when any port is allowed and no loopback address is listed.
    static let defaultLoopback = ["http://127.0.0.1/callback", "http://[::1]/callback"]

    /// Makes a list.
    ///
    /// - Parameters:
    ///   - listed: The allowed addresses. Addresses that ``problem(with:)`` rejects are ignored.
    ///   - anyLoopbackPort: Whether the listed loopback addresses are allowed with any port. If none is listed,
    ///     ``defaultLoopback`` is allowed.
    ///   - acceptsLocalhost: Whether `http://localhost` is a loopback address. Default: false.
    package init(_ listed: [String], anyLoopbackPort: Bool, acceptsLocalhost: Bool = false) {
        self.acceptsLocalhost = acceptsLocalhost
        let usable = listed.filter { Self.problem(with: $0, acceptsLocalhost: acceptsLocalhost) == nil }
        whole = Set(usable.map { Array($0.utf8) })
        guard anyLoopbackPort else {
            portless = []
            return
        }
        let loopback = usable.compactMap { Self.withoutPort($0, acceptsLocalhost: acceptsLocalhost) }
        portless = Set(
            loopback.isEmpty
                ? Self.defaultLoopback.compactMap { Self.withoutPort($0, acceptsLocalhost: false) } : loopback)
    }

    /// Whether a sign-in may end at `address`.
    package func allows(_ address: String) -> Bool {
        guard Self.problem(with: address, acceptsLocalhost: acceptsLocalhost) == nil else { return false }
        if whole.contains(Array(address.utf8)) { return true }
        guard let portless = Self.withoutPort(address, acceptsLocalhost: acceptsLocalhost) else { return false }
        return self.portless.contains(portless)
    }

    /// Returns the reason why an address cannot be on the list, or nil when it can.
    ///
    /// - Parameters:
    ///   - address: The address.
    ///   - acceptsLocalhost: Whether `http://localhost` is a loopback address. RFC 8252 §8.3 advises against that name,
    ///     because it may lead to another machine or network interface. Clients of the Model Context Protocol use it.
    /// - Returns: The end of a sentence about the address, or nil.
    package static func problem(with address: String, acceptsLocalhost: Bool = false) -> String? {
        guard address.utf8.count <= 1_024, address.utf8.allSatisfy(isAddressByte) else {
            return "it must be plain ASCII of at most 1,024 characters, without spaces"
        }
        guard let colon = address.utf8.firstIndex(of: UInt8(ascii: ":")), isScheme(address.utf8[..<colon]) else {
            return "it must begin with a scheme, such as 'com.example.app://callback'"
        }
        guard !address.utf8.contains(UInt8(ascii: "#")) else { return "it must not have a fragment" }
        guard !address.utf8.contains(UInt8(ascii: "*")) else {
            return "addresses are compared character by character, so it must not contain '*'"
        }
        let scheme = address.utf8[..<colon]
        guard !forbidden.contains(where: { scheme.elementsEqual($0.utf8) }) else {
            return "this scheme does not open an app"
        }
        guard scheme.elementsEqual("http".utf8) || scheme.elementsEqual("https".utf8) else { return nil }
        let isLoopback = withoutPort(address, acceptsLocalhost: acceptsLocalhost) != nil
        return webProblem(
            with: address, isPlain: scheme.elementsEqual("http".utf8), isLoopback, acceptsLocalhost: acceptsLocalhost)
    }

    /// Returns the reason why this server cannot send requests to an address, or nil when it can.
    package static func requestProblem(with address: String) -> String? {
        guard address.hasPrefix("https://") || address.hasPrefix("http://") else {
            return "it must begin with 'https://'"
        }
        return problem(with: address)
    }

    /// Schemes that browsers handle themselves, so that no app can be opened by them.
    private static let forbidden = [
        "about", "blob", "data", "file", "filesystem", "ftp", "javascript", "vbscript", "ws", "wss",
    ]

    private static func webProblem(
        with address: String, isPlain: Bool, _ isLoopback: Bool, acceptsLocalhost: Bool
    ) -> String? {
        let rest = address.utf8.dropFirst(isPlain ? 5 : 6)
        guard rest.starts(with: "//".utf8) else { return "two slashes must follow its scheme" }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard !authority.isEmpty, !authority.contains(UInt8(ascii: "@")) else {
            return "it must contain a host and no user"
        }
        let hostEnd =
            authority.first == UInt8(ascii: "[")
            ? authority.firstIndex(of: UInt8(ascii: "]")).map(authority.index(after:))
            : authority.firstIndex(of: UInt8(ascii: ":"))
        let port = authority[(hostEnd ?? authority.endIndex)...]
        guard isHost(String(Substring(authority[..<port.startIndex]))) else {
            return "its host must be a name such as app.example.org, or an IP address"
        }
        guard port.isEmpty || port.first == UInt8(ascii: ":") && isPort(port.dropFirst()) else {
            return "its port must be a number from 1 to 65535"
        }
        guard !isPlain || isLoopback else {
            let loopback =
                acceptsLocalhost ? "127.0.0.1, http://[::1] and http://localhost" : "127.0.0.1 and http://[::1]"
            return "without encryption only http://\(loopback) are safe"
        }
        return nil
    }

    /// Returns an address without its port. Nil unless its host is a loopback address.
    private static func withoutPort(_ address: String, acceptsLocalhost: Bool) -> [UInt8]? {
        let hosts = ["http://127.0.0.1", "http://[::1]"] + (acceptsLocalhost ? ["http://localhost"] : [])
        guard let host = hosts.first(where: { address.utf8.starts(with: $0.utf8) }) else { return nil }
        var rest = address.utf8.dropFirst(host.utf8.count)
        if rest.first == UInt8(ascii: ":") {
            rest = rest.dropFirst()
            let digits = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard isPort(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
        }
        // Otherwise the host only begins like a loopback address, as in `127.0.0.1.example.org`.
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?") else { return nil }
        return Array(host.utf8) + rest
    }

    private static func isPort(_ digits: Substring.UTF8View) -> Bool {
        let text = String(Substring(digits))
        // `UInt16` also reads a sign and leading zeros, which are other spellings of the port.
        guard let port = UInt16(text), port > 0 else { return false }
        return String(port) == text
    }

    /// Whether a text is an IPv6 address in brackets, an IPv4 address, or a host name.
    ///
    /// Source: RFC 3986 §3.2.2; RFC 1123 §2.1. Names of hosts in private networks often contain `_`.
    private static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("[") {
            return text.hasSuffix("]") && text.contains(":") && IPAddress(String(text.dropFirst().dropLast())) != nil
        }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, let last = labels.last, labels.allSatisfy(isLabel) else { return false }
        // Browsers read such a name as an IPv4 address, in any of its spellings.
        let isNumber = last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x")
        return !isNumber || IPAddress(text) != nil
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }

    private static func isScheme(_ bytes: Substring.UTF8View) -> Bool {
        guard let first = bytes.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "+-.".utf8.contains(byte)
            }
        }
    }

    /// Whether a byte may occur in an address.
    ///
    /// Source: RFC 3986 §2.
    private static func isAddressByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || ":/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }
}
