import Crypto
import HTTPServer

/// The short-lived cookie of a browser that nobody is signed in to: the form to sign in is tied to it.
///
/// Otherwise another site could sign the browser in as somebody else, who then reads what its person does.
///
/// Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "Login CSRF".
struct FormCookie: Sendable {
    /// Whether browsers come with `https`.
    let isSecure: Bool

    private static let lifetime = Duration.seconds(3_600)
    private var name: String { isSecure ? "__Host-latchd_form" : "latchd_form" }

    /// The value that a browser brings; nil when it has none that was made here.
    func value(in request: ServerRequest) -> String? {
        let values = Cookies.of(request, prefix: name).filter { $0.rest.isEmpty }.map(\.value)
        return values.first { Base64URL.decode($0)?.count == 32 }
    }

    /// A new value.
    static func make() -> String { Base64URL.encode(SecureRandom.bytes(32)) }

    /// What has the browser keep a value.
    func set(_ value: String) -> String {
        Cookies.set(name, value, maximumAge: Self.lifetime, sameSite: .lax, isSecure: isSecure)
    }

    /// What has the browser forget it.
    var end: String { Cookies.set(name, "", maximumAge: .zero, sameSite: .lax, isSecure: isSecure) }
}
