import Crypto
import GatewayHTTP
import HTTPServer
import SignInBridge

/// The short-lived cookie of a browser without a session. The sign-in form is bound to it.
///
/// Without this cookie, another site could sign the browser in to an attacker's account and then see what the person
/// does.
///
/// Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "Login CSRF".
struct FormCookie: Sendable {
    /// Whether browsers use `https`.
    let isSecure: Bool

    private static let lifetime = Duration.seconds(3_600)
    private var name: String { isSecure ? "__Host-latchd_form" : "latchd_form" }

    /// Returns the cookie's value in a request. Nil when the request has none, or none in the format of ``make()``.
    func value(in request: ServerRequest) -> String? {
        let values = Cookies.of(request, prefix: name).filter { $0.rest.isEmpty }.map(\.value)
        return values.first { Base64URL.decode($0)?.count == 32 }
    }

    /// Returns a new random value.
    static func make() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

    /// Returns the `Set-Cookie` value that stores a value for an hour.
    func set(_ value: String) -> String {
        Cookies.set(name, value, maximumAge: Self.lifetime, sameSite: .lax, isSecure: isSecure)
    }

    /// The `Set-Cookie` value that deletes the cookie.
    var end: String { Cookies.set(name, "", maximumAge: .zero, sameSite: .lax, isSecure: isSecure) }
}
