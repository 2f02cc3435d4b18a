import Crypto
import HTTPServer
import Wire

/// The cookie of a browser that signed in: the same opaque token that an app sends as a bearer.
///
/// Scripts cannot read it, and no other site's forms or frames send it (`SameSite=Lax`). What changes something by this
/// cookie must come from a page of this server all the same, see ``comesFromOwnPage(_:)``.
///
/// Source: contract of Onyx, b.6; OWASP Cross-Site Request Forgery Prevention Cheat Sheet.
struct SessionCookie: Sendable {
    /// Whether browsers come with `https`.
    let isSecure: Bool
    /// The origin of the server as browsers write it, `https://id.example.org`; nil where it is whatever they ask for.
    let origin: String?
    /// For how long a browser keeps it.
    let maximumAge: Duration
    /// The domain whose hosts share it; nil when it is the server's own host alone.
    let domain: String?
    /// The name. A browser takes one that begins with `__Host-` from the host itself alone, which no shared one can be.
    ///
    /// Source: draft-ietf-httpbis-rfc6265bis §4.1.3.
    let name: String

    /// Makes the cookie of a server that browsers know by `address`.
    init(_ address: PublicAddress, _ settings: GatewaySettings) {
        isSecure = address.isSecure
        origin = address.origin
        maximumAge = settings.sessions.maximum
        domain = settings.verify.cookieDomain
        let prefix = !isSecure ? "" : domain == nil ? "__Host-" : "__Secure-"
        name = prefix + "latchd_session"
    }

    /// The token in the value of a `Cookie` field; nil when it is not there. Nothing is copied but the token.
    func token(in field: String) -> String? {
        var token: String?
        Cookies.forEach(in: field) { name, value in
            guard name.utf8.elementsEqual(self.name.utf8), !value.isEmpty else { return true }
            token = String(value)
            return false
        }
        return token
    }

    /// What has the browser keep a token.
    func set(_ token: Secret) -> String {
        Cookies.set(name, token.reveal(), maximumAge: maximumAge, sameSite: .lax, isSecure: isSecure, domain: domain)
    }

    /// What has the browser forget it.
    var end: String {
        Cookies.set(name, "", maximumAge: .zero, sameSite: .lax, isSecure: isSecure, domain: domain)
    }

    /// Whether a request that changes something was made by a page of this server: the browser says so itself. A program
    /// without a browser has no use for the cookie.
    ///
    /// A browser that knows no Fetch Metadata, or leaves it out over plain `http`, names the page's origin: that is the server's
    /// own, or the host that the form goes to, where people sign in on another host than that.
    ///
    /// Source: W3C Fetch Metadata §2.3; RFC 6454 §7.
    func comesFromOwnPage(_ request: ServerRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site == "same-origin" }
        let origins = request.headers.values("Origin")
        guard origins.count == 1, let found = origins.first else { return false }
        if let origin, found == origin { return true }
        guard let host = request.headers["Host"] else { return false }
        let schemes = origin == nil ? ["http", "https"] : [isSecure ? "https" : "http"]
        return schemes.contains { found == "\($0)://\(host)" }
    }
}
