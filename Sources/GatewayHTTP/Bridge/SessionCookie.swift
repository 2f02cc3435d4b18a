package import Crypto
package import GatewayConfiguration
package import GatewayCore
import HTTPMessages
package import HTTPServer
import SignInBridge

/// The session cookie of a browser. It contains the same opaque token that an app sends in the `Authorization` field.
///
/// Scripts cannot read it, and forms and frames of other sites do not send it (`SameSite=Lax`). A request that changes
/// something with this cookie must also come from a page of this server, see ``comesFromOwnPage(_:)``.
///
/// Source: docs/protocols/onyx.md, Session tokens; OWASP Cross-Site Request Forgery Prevention Cheat Sheet.
package struct SessionCookie: Sendable {
    /// Whether browsers connect with `https`.
    package let isSecure: Bool
    private let address: PublicAddress
    /// The lifetime of the cookie in a browser.
    package let maximumAge: Duration
    /// The domain whose hosts share the cookie; nil when only the server's own host gets it.
    package private(set) var domain: String?
    /// The name of the cookie. A shared cookie cannot have the prefix `__Host-`, because browsers accept such a name
    /// only for a single host.
    ///
    /// Source: draft-ietf-httpbis-rfc6265bis §4.1.3.
    package let name: String

    /// Creates the cookie of a server with this address.
    package init(_ address: PublicAddress, _ settings: GatewaySettings) {
        isSecure = address.isSecure
        self.address = address
        maximumAge = settings.sessions.maximum
        domain = settings.verify.cookieDomain
        let prefix = !isSecure ? "" : domain == nil ? "__Host-" : "__Secure-"
        name = prefix + "latchd_session"
    }

    /// The cookie for one host outside ``domain``, from which browsers accept no cookie with that domain. It has the same
    /// name, which is the only one that is read.
    ///
    /// Source: RFC 6265 §5.3, step 6.
    package var forOneHost: SessionCookie {
        var cookie = self
        cookie.domain = nil
        return cookie
    }

    /// Returns the token in the value of a `Cookie` field, or nil when it is missing. Copies only the token.
    package func token(in field: String) -> String? {
        var token: String?
        Cookies.forEach(in: field) { name, value in
            guard name.utf8.elementsEqual(self.name.utf8), !value.isEmpty else { return true }
            token = String(value)
            return false
        }
        return token
    }

    /// Returns the `Set-Cookie` value that stores a token.
    package func set(_ token: Secret) -> String {
        Cookies.set(name, token.reveal(), maximumAge: maximumAge, sameSite: .lax, isSecure: isSecure, domain: domain)
    }

    /// The `Set-Cookie` value that deletes the cookie.
    package var end: String {
        Cookies.set(name, "", maximumAge: .zero, sameSite: .lax, isSecure: isSecure, domain: domain)
    }

    /// Whether a page of this server made a request that changes something, according to the browser. Programs other
    /// than browsers do not need the cookie.
    ///
    /// A browser may not support Fetch Metadata, or not send it over plain `http`. Then the `Origin` field must have
    /// the server's own origin, or the host of the request, because people can sign in on other hosts too.
    ///
    /// Source: W3C Fetch Metadata §2.3; RFC 6454 §7.
    package func comesFromOwnPage(_ request: ServerRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site == "same-origin" }
        let origins = request.headers.values("Origin")
        guard origins.count == 1, let found = origins.first else { return false }
        return address.isOrigin(found, of: request)
    }
}
