import Wire

/// The host of a request with the port that its address names, in lower case.
struct AccessHost: Sendable, Hashable, CustomStringConvertible {
    /// The name, or an address by its number; one of IPv6 in brackets.
    let name: String
    /// The port as it was written; nil when none was.
    let port: UInt16?

    /// Takes `host`, `host:port`, `192.0.2.1` and `[2001:db8::1]`; nil for anything that is not plainly one of them, such as a
    /// name with a dot at its end, a letter outside ASCII or a port of 0.
    ///
    /// Source: RFC 3986 §3.2.2; RFC 1123 §2.1.
    init?(_ text: some StringProtocol) {
        // Lower case makes an ASCII letter of some that are none, such as the Kelvin sign.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var name = text.lowercased()[...]
        var port: UInt16?
        if !name.hasSuffix("]"), let colon = name.lastIndex(of: ":") {
            let digits = String(name[name.index(after: colon)...])
            guard let number = UInt16(digits), number > 0, String(number) == digits else { return nil }
            port = number
            name = name[..<colon]
        }
        guard Self.isName(name) else { return nil }
        self.name = String(name)
        self.port = port
    }

    private init(name: String, port: UInt16?) {
        self.name = name
        self.port = port
    }

    /// The host without a port that is the scheme's own.
    func withoutPort(of scheme: String) -> AccessHost {
        port == (scheme == "https" ? 443 : 80) ? AccessHost(name: name, port: nil) : self
    }

    private static func isName(_ name: Substring) -> Bool {
        if name.hasPrefix("["), name.hasSuffix("]") {
            let inner = name.dropFirst().dropLast()
            return inner.contains(":") && IPAddress(String(inner)) != nil
        }
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { byte in
                PercentEncoding.isUnreserved(byte) && byte != UInt8(ascii: ".") && byte != UInt8(ascii: "~")
            }
    }

    /// Whether the host is `domain` or below it.
    func isWithin(_ domain: String) -> Bool {
        name == domain || name.utf8.count > domain.utf8.count && name.hasSuffix("." + domain)
    }

    /// Whether every machine means itself by the name.
    ///
    /// Source: RFC 6761 §6.3; RFC 1122 §3.2.1.3; RFC 4291 §2.5.3.
    var isLoopback: Bool { ["127.0.0.1", "[::1]", "localhost"].contains(name) }

    /// The host as an address writes it.
    var description: String { port.map { "\(name):\($0)" } ?? name }
}

/// The hosts that a rule is about: one, or everything below a domain.
struct AccessHostPattern: Sendable, Equatable {
    private let host: AccessHost
    private let isTree: Bool

    /// Reads `app.example.org`, which stands for any port, `app.example.org:8443`, and `*.example.org` for every name below.
    ///
    /// A port that is a scheme's own is that of an address without one.
    init?(_ text: String) {
        isTree = text.hasPrefix("*.")
        guard let host = AccessHost(isTree ? text.dropFirst(2) : text[...]) else { return nil }
        self.host = host
    }

    /// Whether the pattern is about a host; a port that was not written stands for all.
    func covers(_ other: AccessHost, _ scheme: String) -> Bool {
        (host.port == nil || hasPort(of: other, scheme)) && coversName(of: other)
    }

    /// Whether an address with this host may be gone to: a port must be written in the pattern too.
    func names(_ other: AccessHost, _ scheme: String) -> Bool {
        hasPort(of: other, scheme) && coversName(of: other)
    }

    private func hasPort(of other: AccessHost, _ scheme: String) -> Bool {
        host.withoutPort(of: scheme).port == other.withoutPort(of: scheme).port
    }

    private func coversName(of other: AccessHost) -> Bool {
        isTree ? other.name != host.name && other.isWithin(host.name) : other.name == host.name
    }
}
