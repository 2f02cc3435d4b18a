import Primitives

/// The address of a server, validated and in a canonical form.
///
/// `Photos.Example.org/`, `https://photos.example.org` and `HTTPS://photos.example.org:443/api/` are the same address.
/// A missing scheme becomes `https`; an explicit `http` is kept. A path prefix is kept. A trailing `/` or `/api` is
/// dropped, because every dialect adds its own. Host names outside ASCII become Punycode.
///
/// Source: IM-3, IM-17; RFC 3986 §3; docs/protocols/onyx.md, Server discovery.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The scheme of an address.
    package enum Scheme: String, Sendable {
        /// HTTP without encryption.
        case http
        /// HTTP over TLS.
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// The scheme.
    package let scheme: Scheme
    /// The host: a name in ASCII and lower case, or an IPv4 or IPv6 literal. IPv6 is without brackets.
    public let host: String
    /// The port. Nil for the default port of the scheme.
    public let port: Int?
    /// The path that precedes the path of every request. Empty, or with a leading slash and without a trailing one.
    package let prefix: String

    /// Parses and validates an address that a person typed.
    ///
    /// - Parameter text: An address with or without a scheme. Leading and trailing white space is ignored.
    /// - Throws: ``LatchError/Code/invalidAddress`` with a message that says what is wrong and how to write the
    ///   address.
    public init(_ text: String) throws(LatchError) {
        let parts = try AddressParts(text)
        scheme = parts.scheme
        host = try HostName.canonical(parts.host, bracketed: parts.isBracketed)
        let number = try parts.portNumber()
        port = number == parts.scheme.defaultPort ? nil : number
        prefix = try AddressParts.prefix(parts.path)
    }

    /// The canonical address, without a trailing slash.
    public var url: String { origin + prefix }

    /// The origin of the address: scheme, host and port.
    ///
    /// Source: RFC 6454 §4.
    package var origin: String { scheme.rawValue + "://" + authority }

    /// Returns whether another address has the same scheme, host and port.
    package func hasSameOrigin(as other: ServerAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// The address without its scheme, as people write it.
    package var withoutScheme: String { authority + prefix }

    /// The host and port as in an address, with brackets around IPv6.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[" + host + "]" : host
        return if let port { name + ":" + String(port) } else { name }
    }

    /// The canonical address.
    public var description: String { url }

    /// Whether requests are encrypted.
    public var isEncrypted: Bool { scheme == .https }

    /// Whether the server is on this machine: `localhost`, a name under it, `127.0.0.0/8` or `::1`.
    ///
    /// Source: RFC 6761 §6.3; RFC 1122 §3.2.1.3; RFC 4291 §2.5.3.
    package var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || (HostName.isIPv4(host) && host.hasPrefix("127."))
    }

    /// Returns the URL of a path on this server.
    ///
    /// - Parameter path: A path below ``prefix`` with a leading slash and an optional query, or a complete URL below
    ///   this address, which is used as it is.
    /// - Returns: The URL to send a request to.
    /// - Throws: ``LatchError/Code/invalidRequest`` when the URL would leave this origin, leave the prefix with `..`,
    ///   or contain a character that is not allowed in a URL.
    package func url(of path: String) throws(LatchError) -> String {
        guard path.utf8.allSatisfy(Self.isPathByte) else {
            throw LatchError(
                .invalidRequest,
                "The path is not valid. Percent-encode spaces and non-ASCII characters, and remove any #.")
        }
        var path = path
        let url = url
        if path.utf8.first != UInt8(ascii: "/"), path.schemeMark != nil {
            guard path.hasPrefix(url + "/") else {
                throw LatchError(
                    .invalidRequest,
                    "The request would send the session's token outside of \(url). Use a path below that address.")
            }
            path = String(Substring(path.utf8.dropFirst(url.utf8.count)))
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw LatchError(.invalidRequest, "A path must begin with one slash, as in /api/me.")
        }
        guard !Self.escapesRoot(path) else {
            throw LatchError(.invalidRequest, "The path leaves the server's own path with '..'. Remove the '..'.")
        }
        return url + path
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "#")
    }

    private static func mayEscapeRoot(_ path: String) -> Bool {
        var last: UInt8 = 0
        for byte in path.utf8 {
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: ".") && last == byte { return true }
            last = byte
        }
        return false
    }

    private static func escapesRoot(_ path: String) -> Bool {
        // Checks cheaply first, because every request comes here and few paths contain such a segment.
        guard mayEscapeRoot(path) else { return false }
        let bare = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        return bare.split(separator: UInt8(ascii: "/")).contains {
            ["..", ".%2e", "%2e.", "%2e%2e"].contains(Substring($0).lowercased())
        }
    }
}

extension ServerAddress: Codable {
    /// Decodes and validates an address from text.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the canonical address as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(url)
    }
}
