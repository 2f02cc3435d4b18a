/// Where a server is: checked, and in one spelling only.
///
/// `Photos.Example.org/`, `https://photos.example.org` and `HTTPS://photos.example.org:443/api/` are the same address. A
/// missing scheme becomes `https`; an explicit `http` is kept. A path prefix is kept, a trailing `/` and a trailing
/// `/api` are dropped, because every dialect adds its own. Names outside ASCII become Punycode.
///
/// Source: IM-3, IM-17; RFC 3986 §3; contract of Onyx, b.12.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// How the server is spoken to.
    public enum Scheme: String, Sendable {
        /// Without encryption.
        case http
        /// With TLS.
        case https

        var defaultPort: Int { self == .http ? 80 : 443 }
    }

    /// How the server is spoken to.
    public let scheme: Scheme
    /// The name in ASCII and lower case, or an IPv4 or IPv6 literal; IPv6 without brackets.
    public let host: String
    /// The port, when it is not the scheme's own.
    public let port: Int?
    /// The path before every request's own: empty, or beginning with a slash and not ending with one.
    public let prefix: String

    /// Checks what a person typed.
    ///
    /// - Parameter text: An address with or without a scheme; white space around it is dropped.
    /// - Throws: ``LatchError/Code/invalidAddress`` that says what is wrong with it and how to write it.
    public init(_ text: String) throws(LatchError) {
        let parts = try AddressParts(text)
        scheme = parts.scheme
        host = try HostName.canonical(parts.host, bracketed: parts.isBracketed)
        let number = try parts.portNumber()
        port = number == parts.scheme.defaultPort ? nil : number
        prefix = try AddressParts.prefix(parts.path)
    }

    /// The address in its one spelling, without a trailing slash.
    public var url: String { origin + prefix }

    /// Scheme, host and port: what a browser calls the origin.
    ///
    /// Source: RFC 6454 §4.
    public var origin: String { scheme.rawValue + "://" + authority }

    /// Whether another address has the same scheme, host and port.
    public func hasSameOrigin(as other: ServerAddress) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    /// The whole address without its scheme, as people write it.
    public var withoutScheme: String { authority + prefix }

    /// Host and port as they stand in an address; IPv6 in brackets.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[" + host + "]" : host
        return if let port { name + ":" + String(port) } else { name }
    }

    /// The address in its one spelling.
    public var description: String { url }

    /// Whether requests travel encrypted.
    public var isEncrypted: Bool { scheme == .https }

    /// Whether the server is on this machine: `localhost`, a name under it, `127.0.0.0/8` or `::1`.
    ///
    /// Source: RFC 6761 §6.3; RFC 1122 §3.2.1.3; RFC 4291 §2.5.3.
    public var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || (HostName.isIPv4(host) && host.hasPrefix("127."))
    }

    /// The whole address of a path on this server.
    ///
    /// - Parameter path: Begins with a slash and goes below ``prefix``, with a query if need be; or a whole address of
    ///   this very origin, taken as it is.
    /// - Returns: The address to send a request to.
    /// - Throws: ``LatchError/Code/invalidRequest`` when it would leave this origin, climbs out of the prefix with `..`
    ///   or holds a character that an address cannot.
    public func url(of path: String) throws(LatchError) -> String {
        guard path.utf8.allSatisfy(Self.mayStandInPath) else {
            throw LatchError(
                .invalidRequest,
                "The path cannot be sent: write spaces and letters outside ASCII percent-encoded, and no #.")
        }
        var path = path
        let url = url
        if path.utf8.first != UInt8(ascii: "/"), path.utf8.range(of: "://") != nil {
            guard path.hasPrefix(url + "/") else {
                throw LatchError(
                    .invalidRequest,
                    "The request would leave \(url) and take the session's token along. Give a path below the server.")
            }
            path = String(Substring(path.utf8.dropFirst(url.utf8.count)))
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw LatchError(.invalidRequest, "A path begins with one slash, as /api/me.")
        }
        guard !Self.climbs(path) else {
            throw LatchError(.invalidRequest, "The path climbs out of the server's own with '..'. Write it without.")
        }
        return url + path
    }

    private static func mayStandInPath(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "#")
    }

    private static func mayClimb(_ path: String) -> Bool {
        var last: UInt8 = 0
        for byte in path.utf8 {
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: ".") && last == byte { return true }
            last = byte
        }
        return false
    }

    private static func climbs(_ path: String) -> Bool {
        // Few paths hold any of these, and every request comes here.
        guard mayClimb(path) else { return false }
        let bare = path.utf8.prefix { $0 != UInt8(ascii: "?") }
        return bare.split(separator: UInt8(ascii: "/")).contains {
            ["..", ".%2e", "%2e.", "%2e%2e"].contains(Substring($0).lowercased())
        }
    }
}

extension ServerAddress: Codable {
    /// Reads the address as text and checks it.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the address as text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(url)
    }
}
