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
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The whole address without its scheme, as people write it.
    public var withoutScheme: String { authority + prefix }

    /// Host and port as they stand in an address; IPv6 in brackets.
    public var authority: String {
        (host.contains(":") ? "[\(host)]" : host) + (port.map { ":\($0)" } ?? "")
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
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }), !path.contains("#") else {
            throw LatchError(
                .invalidRequest,
                "The path cannot be sent: write spaces and letters outside ASCII percent-encoded, and no #.")
        }
        var path = path
        if path.contains("://"), !path.hasPrefix("/") {
            guard path.hasPrefix(url + "/") else {
                throw LatchError(
                    .invalidRequest,
                    "The request would leave \(url) and take the session's token along. Give a path below the server.")
            }
            path = String(path.dropFirst(url.count))
        }
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw LatchError(.invalidRequest, "A path begins with one slash, as /api/me.")
        }
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        guard !segments.contains(where: { ["..", ".%2e", "%2e.", "%2e%2e"].contains($0.lowercased()) }) else {
            throw LatchError(.invalidRequest, "The path climbs out of the server's own with '..'. Write it without.")
        }
        return url + path
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
