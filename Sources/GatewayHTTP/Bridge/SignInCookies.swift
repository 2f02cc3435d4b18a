import Crypto
import HTTPServer
import SignInBridge

/// The cookies of sign-ins in progress. Each sign-in has one, named after its id.
///
/// A browser holds at most ``maximum`` of them, because a page that begins one sign-in after another must not fill the
/// header of its requests. The oldest are deleted first.
struct SignInCookies: Sendable {
    /// The maximum number of sign-ins in progress in one browser.
    static let maximum = 8

    /// Whether browsers use `https`.
    let isSecure: Bool

    private var prefix: String { isSecure ? "__Host-latchd-signin-" : "latchd-signin-" }

    /// Returns the `Set-Cookie` values of a new sign-in: one that sets its cookie, and one for each old cookie to
    /// delete.
    func begin(_ secret: BrowserSecret, _ sameSite: SameSite, beside request: ServerRequest) -> [String] {
        let others = Set(Cookies.of(request, prefix: prefix).map(\.rest))
        let ages = others.compactMap { id in BrowserSecret.age(id).map { (id, $0) } }
        let oldest = ages.sorted { $1.1.lexicographicallyPrecedes($0.1) }.dropFirst(Self.maximum - 1)
        let new = Cookies.set(
            prefix + secret.id, secret.secret.reveal(), maximumAge: PendingAuthorization.lifetime, sameSite: sameSite,
            isSecure: isSecure)
        return [new] + oldest.map { end($0.0, sameSite) }
    }

    /// Returns the browser's secret for a sign-in. Nil when no cookie of the request matches the state.
    func secret(for state: PendingAuthorization, in request: ServerRequest) -> BrowserSecret? {
        // A browser may send several cookies with the same name, so each of them is compared.
        Cookies.of(request, prefix: prefix)
            .filter { $0.rest == state.id }
            .compactMap { BrowserSecret(id: $0.rest, value: $0.value) }
            .first { state.belongs(to: $0) }
    }

    /// Returns the `Set-Cookie` value that deletes the cookie of a sign-in.
    func end(_ id: String, _ sameSite: SameSite) -> String {
        Cookies.set(prefix + id, "", maximumAge: .zero, sameSite: sameSite, isSecure: isSecure)
    }
}
