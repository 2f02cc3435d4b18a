package import Crypto
import HTTPMessages

extension RedisSettings {
    /// Creates settings from a URL: `redis://[USER@]HOST[:PORT][/DATABASE]` or `unix://[USER@]/PATH[?db=DATABASE]`.
    /// `unix:/PATH` is accepted too.
    ///
    /// A password in the URL is rejected, because URLs are shown and logged.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - password: The password, read from a file.
    ///   - allowsPlainText: Whether a host other than this machine is allowed. The connection is not encrypted.
    /// - Throws: ``RedisError/Code/misconfigured``.
    ///
    /// Source: `redis` and `redis+unix` URLs as redis-py and redis-cli parse them.
    package init(url: String, password: Secret? = nil, allowsPlainText: Bool = false) throws(RedisError) {
        guard let colon = url.firstIndex(of: ":") else { throw Self.malformed }
        let rest = url[url.index(after: colon)...]
        switch url[..<colon].lowercased() {
        case "redis": try self.init(hostPart: rest)
        case "unix": try self.init(socketPart: rest)
        case "rediss":
            throw Self.unusable(
                "TLS to Redis is not supported; use 'redis://' to this machine, or a tunnel such as stunnel")
        default: throw Self.malformed
        }
        if user != nil, password == nil { throw Self.unusable("a user needs a password; store it in a file") }
        self.password = password
        if !allowsPlainText, case .host(let host, _) = address, !Self.isThisMachine(host) {
            throw Self.unusable(
                "'\(host)' is another machine and the connection is not encrypted; use a tunnel on this machine, "
                    + "or allow it explicitly")
        }
    }

    private init(hostPart rest: Substring) throws(RedisError) {
        guard rest.hasPrefix("//") else { throw Self.malformed }
        let parts = rest.dropFirst(2).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let (user, place) = try Self.user(parts[0])
        self.init(try Self.host(place))
        self.user = user
        if parts.count == 2, !parts[1].isEmpty { database = try Self.database(parts[1]) }
    }

    private init(socketPart rest: Substring) throws(RedisError) {
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var user: String?
        var path = parts[0]
        if path.hasPrefix("//") {
            path = path.dropFirst(2)
            guard let slash = path.firstIndex(of: "/") else { throw Self.malformed }
            if slash > path.startIndex {
                guard path[..<slash].hasSuffix("@") else { throw Self.malformed }
                user = try Self.user(path[..<slash]).user
            }
            path = path[slash...]
        }
        // `sun_path` of unix(7) holds 107 bytes and a terminating zero.
        guard path.hasPrefix("/"), path.count > 1, let plain = PercentEncoding.decode(path.utf8),
            plain.utf8.count <= 107, !plain.utf8.contains(0)
        else { throw Self.malformed }
        self.init(.socket(path: plain))
        self.user = user
        if parts.count == 2 {
            guard parts[1].hasPrefix("db=") else { throw Self.malformed }
            database = try Self.database(parts[1].dropFirst(3))
        }
    }

    private static func user(_ text: Substring) throws(RedisError) -> (user: String?, rest: Substring) {
        guard let at = text.lastIndex(of: "@") else { return (nil, text) }
        let name = text[..<at]
        if name.contains(":") { throw unusable("it contains a password; store that in a file") }
        guard !name.isEmpty, let plain = PercentEncoding.decode(name.utf8) else { throw malformed }
        return (plain, text[text.index(after: at)...])
    }

    private static func host(_ text: Substring) throws(RedisError) -> Address {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw malformed }
            host = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            guard IPAddress(String(host)) != nil, after.isEmpty || after.hasPrefix(":") else { throw malformed }
            if !after.isEmpty { port = after.dropFirst() }
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let isName = host.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: ":") }
        guard !host.isEmpty, isName else { throw malformed }
        guard let port else { return .host(String(host), port: 6379) }
        guard let number = UInt16(port), number > 0 else { throw malformed }
        return .host(String(host), port: Int(number))
    }

    private static func database(_ text: Substring) throws(RedisError) -> Int {
        guard let number = UInt16(text) else { throw malformed }
        return Int(number)
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
    }

    private static func unusable(_ reason: String) -> RedisError {
        RedisError(.misconfigured, "Could not use the Redis URL: \(reason).")
    }

    private static let malformed = unusable(
        "it must have the form 'redis://HOST:PORT/DATABASE' or 'unix:/PATH?db=DATABASE'")
}
