package import Crypto

/// A relying party that is registered at the development provider.
///
/// Source: RFC 6749 §2.
package struct RegisteredClient: Sendable {
    /// The client id.
    package var id: String
    /// The client secret, for `client_secret_basic` and `client_secret_post`. Nil for a public client, which must use
    /// PKCE.
    package var secret: Secret?
    /// The name that the sign-in page shows.
    package var name: String
    /// The redirect URIs, compared exactly. For a URI at `http://127.0.0.1` or `http://[::1]` without a port any port
    /// is accepted, because native apps listen on a port that the system chooses.
    ///
    /// Source: RFC 9700 §2.1 and §4.1.3; RFC 8252 §7.3.
    package var redirects: [String]
    /// The audience of the client's access tokens. These are then JWTs that the audience validates itself. Nil for
    /// opaque tokens.
    ///
    /// Source: RFC 9068 §2.
    package var audience: String?

    /// Creates a client.
    package init(id: String, secret: Secret?, name: String? = nil, redirects: [String], audience: String? = nil) {
        self.id = id
        self.secret = secret
        self.name = name ?? id
        self.redirects = redirects
        self.audience = audience
    }

    /// Returns whether `redirect` is a valid redirect URI of the client.
    func allows(_ redirect: String) -> Bool {
        if redirects.contains(redirect) { return true }
        guard let portless = Self.withoutPort(redirect) else { return false }
        return redirects.contains(portless)
    }

    /// Returns a loopback address without its port. Nil for other addresses and for those without a port.
    private static func withoutPort(_ address: String) -> String? {
        guard let host = ["http://127.0.0.1:", "http://[::1]:"].first(where: address.hasPrefix) else { return nil }
        let rest = address.dropFirst(host.count)
        let digits = rest.prefix { $0 != "/" }
        guard let port = UInt16(digits), port > 0, String(port) == digits else { return nil }
        return String(host.dropLast() + rest.dropFirst(digits.count))
    }
}
