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

    private static let plainName = "latchd_session"
    private static let secureName = "__Host-latchd_session"

    /// The name.
    var name: String { isSecure ? Self.secureName : Self.plainName }

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
        Cookies.set(name, token.reveal(), maximumAge: maximumAge, sameSite: .lax, isSecure: isSecure)
    }

    /// What has the browser forget it.
    var end: String {
        Cookies.set(name, "", maximumAge: .zero, sameSite: .lax, isSecure: isSecure)
    }

    /// Whether a request that changes something was made by a page of this server: the browser says so itself. A program
    /// without a browser has no use for the cookie.
    ///
    /// Source: W3C Fetch Metadata §2.3; RFC 6454 §7.
    func comesFromOwnPage(_ request: ServerRequest) -> Bool {
        if let site = request.headers["Sec-Fetch-Site"] { return site == "same-origin" }
        let origins = request.headers.values("Origin")
        guard origins.count == 1, let found = origins.first else { return false }
        if let origin { return found == origin }
        guard let host = request.headers["Host"] else { return false }
        return found == "http://\(host)" || found == "https://\(host)"
    }
}

extension SessionCookie {
    /// Makes the cookie of a server that browsers know by `address`.
    init(_ address: PublicAddress, _ lifetime: SessionLifetime) {
        self.init(isSecure: address.isSecure, origin: address.origin, maximumAge: lifetime.maximum)
    }
}
