import HTTPMessages

/// The host of a request in lower case, with the port if the address contains one.
package struct AccessHost: Sendable, Hashable, CustomStringConvertible {
    /// The host name or IP address. An IPv6 address is in brackets.
    package let name: String
    /// The port as text. Nil when there is none.
    package let port: UInt16?

    /// Parses `host`, `host:port`, `192.0.2.1` and `[2001:db8::1]`. Returns nil for anything else, such as a name with
    /// a dot at its end, a letter outside ASCII or a port of 0.
    ///
    /// Source: RFC 3986 §3.2.2; RFC 1123 §2.1.
    package init?(_ text: some StringProtocol) {
        // Lower-casing turns some non-ASCII letters, such as the Kelvin sign, into ASCII letters.
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

    /// Returns the host without a port that is the default port of the scheme.
    package func withoutPort(of scheme: String) -> AccessHost {
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

    /// Whether the host is `domain` or a subdomain of it.
    package func isWithin(_ domain: String) -> Bool {
        name == domain || name.utf8.count > domain.utf8.count && name.hasSuffix("." + domain)
    }

    /// Whether the name refers to the local machine on every machine.
    ///
    /// Source: RFC 6761 §6.3; RFC 1122 §3.2.1.3; RFC 4291 §2.5.3.
    package var isLoopback: Bool { ["127.0.0.1", "[::1]", "localhost"].contains(name) }

    /// The host as it is written in an address.
    package var description: String { port.map { "\(name):\($0)" } ?? name }
}

/// The hosts that a rule applies to: one host, or all subdomains of a domain.
package struct AccessHostPattern: Sendable, Equatable {
    private let host: AccessHost
    private let isTree: Bool

    /// Parses `app.example.org`, which matches any port, `app.example.org:8443`, and `*.example.org`, which matches
    /// every subdomain.
    ///
    /// The default port of a scheme matches an address without a port.
    package init?(_ text: String) {
        isTree = text.hasPrefix("*.")
        guard let host = AccessHost(isTree ? text.dropFirst(2) : text[...]) else { return nil }
        self.host = host
    }

    /// Whether the pattern matches a host. A pattern without a port matches every port.
    package func covers(_ other: AccessHost, _ scheme: String) -> Bool {
        (host.port == nil || hasPort(of: other, scheme)) && coversName(of: other)
    }

    /// Whether a browser may be redirected to an address with this host. Here a pattern without a port matches only the
    /// default port of the scheme.
    package func names(_ other: AccessHost, _ scheme: String) -> Bool {
        hasPort(of: other, scheme) && coversName(of: other)
    }

    private func hasPort(of other: AccessHost, _ scheme: String) -> Bool {
        host.withoutPort(of: scheme).port == other.withoutPort(of: scheme).port
    }

    private func coversName(of other: AccessHost) -> Bool {
        isTree ? other.name != host.name && other.isWithin(host.name) : other.name == host.name
    }
}
