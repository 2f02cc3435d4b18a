import Crypto
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import SignInBridge

/// The cookies of Immich clients that store cookies, such as the official app.
///
/// The app defines their names, so they cannot have the prefix `__Host-`.
///
/// Source: docs/protocols/immich.md, Cookies.
struct ImmichCookies: Sendable {
    /// How the person signed in.
    enum SignInMethod: String, Sendable {
        case password, oauth
    }

    private let address: PublicAddress
    private let proxies: TrustedProxies
    private let page: SessionCookie

    private static let tokenName = "immich_access_token"
    private static let methodName = "immich_auth_type"
    private static let signName = "immich_is_authenticated"
    /// The name of the cookie with the state of a sign-in through a provider, for a client that sent no state.
    static let stateName = "immich_oauth_state"
    /// The name of the cookie with the PKCE verifier of such a sign-in.
    static let verifierName = "immich_oauth_code_verifier"
    /// 400 days, the maximum lifetime of a cookie in browsers.
    private static let maximumAge = Duration.seconds(34_560_000)
    /// The lifetime of the cookies of a sign-in through a provider.
    private static let signInAge = PendingAuthorization.lifetime

    init(_ services: GatewayServices) {
        address = services.address
        proxies = services.proxies
        page = SessionCookie(address, services.settings)
    }

    /// Returns the token in the cookie of a request.
    func token(in request: ServerRequest) -> String? { value(Self.tokenName, in: request) }

    /// Returns how the person signed in, according to the cookie.
    func signInMethod(in request: ServerRequest) -> SignInMethod? {
        value(Self.methodName, in: request).flatMap(SignInMethod.init)
    }

    /// Returns the value of a cookie, or nil when it is missing or empty.
    func value(_ name: String, in request: ServerRequest) -> String? {
        Cookies.of(request, prefix: name).first { $0.rest.isEmpty && !$0.value.isEmpty }?.value
    }

    /// Whether the request does not come from a page of another site. Requests that only read are accepted because the
    /// page cannot read the response, which does not hold for WebSocket connections. Requests without the header fields of browsers are accepted because programs do not send these
    /// fields.
    ///
    /// Source: W3C Fetch Metadata §2.3; RFC 6454 §7; RFC 6455 §10.2.
    func isOwn(_ request: ServerRequest) -> Bool {
        if [.get, .head, .options].contains(request.method), request.headers["Upgrade"] == nil { return true }
        if request.headers["Sec-Fetch-Site"] == nil, request.headers["Origin"] == nil { return true }
        return page.comesFromOwnPage(request)
    }

    /// Returns the `Set-Cookie` values for a new session.
    func begin(_ token: Secret, _ method: SignInMethod, for request: ServerRequest) -> [String] {
        [
            set(Self.tokenName, token.reveal(), maximumAge: Self.maximumAge, for: request),
            set(Self.methodName, method.rawValue, maximumAge: Self.maximumAge, for: request),
            set(Self.signName, "true", maximumAge: Self.maximumAge, isHidden: false, for: request),
        ]
    }

    /// Returns the `Set-Cookie` values that delete the cookies of a session.
    func end(for request: ServerRequest) -> [String] {
        [
            set(Self.tokenName, "", maximumAge: .zero, for: request),
            set(Self.methodName, "", maximumAge: .zero, for: request),
            set(Self.signName, "", maximumAge: .zero, isHidden: false, for: request),
        ]
    }

    /// Returns the `Set-Cookie` values for the state and the verifier of a sign-in through a provider.
    func beginSignIn(state: String, verifier: Secret?, for request: ServerRequest) -> [String] {
        let secret = verifier.map {
            set(Self.verifierName, $0.reveal(), maximumAge: Self.signInAge, for: request)
        }
        return [set(Self.stateName, state, maximumAge: Self.signInAge, for: request)] + [secret].compactMap { $0 }
    }

    /// Returns the `Set-Cookie` values that delete the state and the verifier.
    func endSignIn(for request: ServerRequest) -> [String] {
        [
            set(Self.stateName, "", maximumAge: .zero, for: request),
            set(Self.verifierName, "", maximumAge: .zero, for: request),
        ]
    }

    private func set(
        _ name: String, _ value: String, maximumAge: Duration, isHidden: Bool = true, for request: ServerRequest
    ) -> String {
        let text = Cookies.set(name, value, maximumAge: maximumAge, sameSite: .lax, isSecure: isSecure(request))
        // Scripts read this cookie to find out whether a person is signed in.
        return isHidden ? text : text.split(separator: "; ").filter { $0 != "HttpOnly" }.joined(separator: "; ")
    }

    private func isSecure(_ request: ServerRequest) -> Bool {
        if request.isTLS || address.isSecure { return true }
        return proxies.trusts(request.peer) && request.headers["X-Forwarded-Proto"] == "https"
    }
}
