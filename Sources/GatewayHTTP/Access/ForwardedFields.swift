import GatewayCore
import HTTPMessages

/// A parser for the header fields in which a proxy describes the original request.
struct ForwardedFields: Sendable {
    /// The header fields, by their meaning.
    private enum Name: Int {
        case host, scheme, target, method
        /// `X-Original-URL`: scheme, host and target.
        case url
        /// `X-Original-URI`: a path or a whole address.
        case uri
        case originalMethod
        /// Fields that the proxy does not set, but that some servers use instead of the request line.
        case rewrite, override, methodOverride, plainOverride
        /// `Upgrade`, if the proxy passes it on.
        case upgrade
        /// `Destination` of the client: a second resource.
        case destination
    }

    private(set) var method: String?
    private(set) var scheme: String?
    private(set) var host: AccessHost?
    private(set) var target: String?
    /// Another method that a backend might use.
    private(set) var override: String?
    /// `Destination`, as it was sent.
    private(set) var destination: String?
    /// A bit set of the names that were read.
    private var seen: UInt16 = 0

    /// Reads a field. Ignores fields that do not describe the request.
    mutating func read(_ field: HTTPHeaders.Field) throws(ForwardedRefusal) {
        guard let name = Self.name(field.name) else { return }
        let bit: UInt16 = 1 << name.rawValue
        guard seen & bit == 0, !field.value.isEmpty else {
            throw name == .upgrade ? .otherProtocol : .contradictory
        }
        seen |= bit
        switch name {
        case .upgrade:
            guard HTTPHeaders.namesAreEqual(field.value, "websocket") else { throw .otherProtocol }
        case .host: try read(host: field.value)
        case .scheme: try read(scheme: field.value)
        case .target, .rewrite: try Self.agree(&target, field.value)
        case .method, .originalMethod: try read(method: field.value)
        case .url: try read(url: field.value)
        case .uri:
            if field.value.hasPrefix("/") { try Self.agree(&target, field.value) } else { try read(url: field.value) }
        case .override, .methodOverride, .plainOverride: try Self.agree(&override, field.value.uppercased())
        case .destination: destination = field.value
        }
    }

    /// Returns the meaning of a name. Some backends read other characters in a name as hyphens, so `X_Original_URL`
    /// counts as `X-Original-URL`.
    private static func name(_ name: String) -> Name? {
        guard let first = name.utf8.first, first | 0x20 == UInt8(ascii: "x") else {
            if HTTPHeaders.namesAreEqual("Upgrade", name) { return .upgrade }
            return HTTPHeaders.namesAreEqual("Destination", name) ? .destination : nil
        }
        return names.first { isAlias(name, of: $0.text) }?.name
    }

    /// Whether a name is `text` with any letter case, and with any characters instead of its hyphens except letters and
    /// digits.
    private static func isAlias(_ name: String, of text: String) -> Bool {
        let (name, text) = (name.utf8.span, text.utf8.span)
        guard name.count == text.count else { return false }
        for index in text.indices where plain(name[index]) != plain(text[index]) { return false }
        return true
    }

    /// Returns a letter in lower case, a digit as it is, and a hyphen for any other byte.
    private static func plain(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: UInt8(ascii: "-")
        }
    }

    private static let names: [(text: String, name: Name)] = [
        ("X-Forwarded-Host", .host), ("X-Forwarded-Proto", .scheme), ("X-Forwarded-Uri", .target),
        ("X-Forwarded-Method", .method), ("X-Original-URL", .url), ("X-Original-URI", .uri),
        ("X-Original-Method", .originalMethod), ("X-Rewrite-URL", .rewrite), ("X-HTTP-Method-Override", .override),
        ("X-Method-Override", .methodOverride), ("X-HTTP-Method", .plainOverride),
    ]

    private mutating func read(host text: String) throws(ForwardedRefusal) {
        guard let read = AccessHost(text) else { throw .contradictory }
        try Self.agree(&host, read)
    }

    /// Reads a scheme. Traefik sends `ws` and `wss` for a WebSocket.
    private mutating func read(scheme text: String) throws(ForwardedRefusal) {
        switch text {
        case "https", "wss": try Self.agree(&scheme, "https")
        case "http", "ws": try Self.agree(&scheme, "http")
        default: throw .contradictory
        }
    }

    private mutating func read(method text: String) throws(ForwardedRefusal) {
        guard text.utf8.count <= 32, text.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) }),
            // Some backends treat `post` as POST, but a rule for POST does not match it.
            text == text.uppercased()
        else { throw .contradictory }
        guard text != "CONNECT", text != "TRACE" else { throw .otherProtocol }
        try Self.agree(&method, text)
    }

    private mutating func read(url: String) throws(ForwardedRefusal) {
        guard let address = Self.split(url) else { throw .contradictory }
        try read(scheme: address.scheme)
        try Self.agree(&host, address.host)
        try Self.agree(&target, address.target)
    }

    /// Splits an address into its scheme, host and target. Returns nil for anything but an `https` or `http` address.
    static func split(_ url: String) -> (scheme: String, host: AccessHost, target: String)? {
        guard let scheme = ["https", "http"].first(where: { url.hasPrefix($0 + "://") }) else { return nil }
        let rest = url.utf8.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let host = AccessHost(Substring(authority)) else { return nil }
        let target = String(Substring(rest.dropFirst(authority.count)))
        return (scheme, host, target.isEmpty ? "/" : target)
    }

    private static func agree<Value: Equatable>(_ current: inout Value?, _ value: Value) throws(ForwardedRefusal) {
        guard current == nil || current == value else { throw .contradictory }
        current = value
    }
}
