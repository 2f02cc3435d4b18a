import Crypto
import HTTPServer

/// The cookies of sign-ins under way: one for each, named after it.
///
/// A browser holds at most ``maximum``: a page that opens sign-in after sign-in must not fill the requests' heads. The
/// oldest go first.
struct SignInCookies: Sendable {
    /// How many sign-ins a browser may have under way.
    static let maximum = 8

    /// Whether browsers come with `https`.
    let isSecure: Bool

    private var prefix: String { isSecure ? "__Host-latchd-signin-" : "latchd-signin-" }

    /// Of a request that begins a sign-in: what to set for it, and to drop of others.
    func begin(_ secret: BrowserSecret, _ sameSite: Cookies.SameSite, beside request: ServerRequest) -> [String] {
        let others = Set(Cookies.of(request, prefix: prefix).map(\.rest))
        let ages = others.compactMap { id in BrowserSecret.age(id).map { (id, $0) } }
        let oldest = ages.sorted { $1.1.lexicographicallyPrecedes($0.1) }.dropFirst(Self.maximum - 1)
        let new = Cookies.set(
            prefix + secret.id, secret.secret.reveal(), maximumAge: BridgeState.lifetime, sameSite: sameSite,
            isSecure: isSecure)
        return [new] + oldest.map { end($0.0, sameSite) }
    }

    /// The secret of the browser for a sign-in; nil when the browser has none that fits the state.
    func secret(for state: BridgeState, in request: ServerRequest) -> BrowserSecret? {
        Cookies.of(request, prefix: prefix)
            .filter { $0.rest == state.id }
            .compactMap { BrowserSecret(id: $0.rest, value: $0.value) }
            .first { state.belongs(to: $0) }
    }

    /// What drops the cookie of a sign-in.
    func end(_ id: String, _ sameSite: Cookies.SameSite) -> String {
        Cookies.set(prefix + id, "", maximumAge: .zero, sameSite: sameSite, isSecure: isSecure)
    }
}
