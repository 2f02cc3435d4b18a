public import Crypto

/// A relying party that the development provider serves.
///
/// Source: RFC 6749 §2.
public struct RegisteredClient: Sendable {
    /// The client's id.
    public var id: String
    /// The secret, for `client_secret_basic` and `client_secret_post`; nil makes a public client, which must use PKCE.
    public var secret: Secret?
    /// The name on the sign-in page.
    public var name: String
    /// The redirect addresses, compared character by character; of one at `http://127.0.0.1` or `http://[::1]` without a port
    /// the port is free, as a program on the person's machine takes the one that the system gives it.
    ///
    /// Source: RFC 9700 §2.1 and §4.1.3; RFC 8252 §7.3.
    public var redirects: [String]
    /// Whom the client's access tokens are meant for, which are then JWTs that the audience checks by itself; nil gives it
    /// opaque ones.
    ///
    /// Source: RFC 9068 §2.
    public var audience: String?

    /// Makes a client.
    public init(id: String, secret: Secret?, name: String? = nil, redirects: [String], audience: String? = nil) {
        self.id = id
        self.secret = secret
        self.name = name ?? id
        self.redirects = redirects
        self.audience = audience
    }

    /// Whether an answer may go to `redirect`.
    func allows(_ redirect: String) -> Bool {
        if redirects.contains(redirect) { return true }
        guard let portless = Self.withoutPort(redirect) else { return false }
        return redirects.contains(portless)
    }

    /// A loopback address without its port; nil for any other, and for one that has none.
    private static func withoutPort(_ address: String) -> String? {
        guard let host = ["http://127.0.0.1:", "http://[::1]:"].first(where: address.hasPrefix) else { return nil }
        let rest = address.dropFirst(host.count)
        let digits = rest.prefix { $0 != "/" }
        guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
        return String(host.dropLast() + rest.dropFirst(digits.count))
    }
}
