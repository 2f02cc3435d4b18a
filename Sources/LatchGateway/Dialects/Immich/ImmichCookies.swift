import Crypto
import HTTPServer
import Wire

/// The three cookies of a client of Immich that keeps cookies, as the official app does.
///
/// Their names are the app's, so `__Host-` cannot stand before them.
///
/// Source: contract of Immich, b.4 and b.15.
struct ImmichCookies: Sendable {
    /// How the person signed in.
    enum Way: String, Sendable {
        case password, oauth
    }

    private let address: PublicAddress
    private let proxies: TrustedProxies
    private let page: SessionCookie

    private static let tokenName = "immich_access_token"
    private static let wayName = "immich_auth_type"
    private static let signName = "immich_is_authenticated"
    /// The state of a sign-in through a provider, of a client that brought none.
    static let stateName = "immich_oauth_state"
    /// Its verifier.
    static let verifierName = "immich_oauth_code_verifier"
    /// 400 days, the longest that a browser keeps anything.
    private static let maximumAge = Duration.seconds(34_560_000)
    /// How long a sign-in through a provider may take.
    private static let signInAge = BridgeState.lifetime

    init(_ services: GatewayServices) {
        address = services.address
        proxies = services.proxies
        page = SessionCookie(address, services.settings)
    }

    /// The token of a request's cookie.
    func token(in request: ServerRequest) -> String? { value(Self.tokenName, in: request) }

    /// How the person signed in, as the cookie says.
    func way(in request: ServerRequest) -> Way? { value(Self.wayName, in: request).flatMap(Way.init) }

    /// The value of a cookie; nil when it is missing or empty.
    func value(_ name: String, in request: ServerRequest) -> String? {
        Cookies.of(request, prefix: name).first { $0.rest.isEmpty && !$0.value.isEmpty }?.value
    }

    /// Whether no page of another site had a browser make the request. A program says nothing of it, and reads harm nobody.
    ///
    /// Source: W3C Fetch Metadata §2.3; RFC 6454 §7.
    func isOwn(_ request: ServerRequest) -> Bool {
        if [.get, .head, .options].contains(request.method) { return true }
        if request.headers["Sec-Fetch-Site"] == nil, request.headers["Origin"] == nil { return true }
        return page.comesFromOwnPage(request)
    }

    /// What has a client keep a new session.
    func begin(_ token: Secret, _ way: Way, for request: ServerRequest) -> [String] {
        [
            set(Self.tokenName, token.reveal(), Self.maximumAge, request),
            set(Self.wayName, way.rawValue, Self.maximumAge, request),
            set(Self.signName, "true", Self.maximumAge, isHidden: false, request),
        ]
    }

    /// What has a client forget its session.
    func end(for request: ServerRequest) -> [String] {
        [
            set(Self.tokenName, "", .zero, request), set(Self.wayName, "", .zero, request),
            set(Self.signName, "", .zero, isHidden: false, request),
        ]
    }

    /// What has a client keep what belongs to a sign-in through a provider.
    func beginSignIn(state: String, verifier: Secret?, for request: ServerRequest) -> [String] {
        let secret = verifier.map { set(Self.verifierName, $0.reveal(), Self.signInAge, request) }
        return [set(Self.stateName, state, Self.signInAge, request)] + [secret].compactMap { $0 }
    }

    /// What has a client forget that.
    func endSignIn(for request: ServerRequest) -> [String] {
        [set(Self.stateName, "", .zero, request), set(Self.verifierName, "", .zero, request)]
    }

    private func set(
        _ name: String, _ value: String, _ age: Duration, isHidden: Bool = true, _ request: ServerRequest
    ) -> String {
        let text = Cookies.set(name, value, maximumAge: age, sameSite: .lax, isSecure: isSecure(request))
        // A page asks by this one whether somebody is signed in.
        return isHidden ? text : text.split(separator: "; ").filter { $0 != "HttpOnly" }.joined(separator: "; ")
    }

    private func isSecure(_ request: ServerRequest) -> Bool {
        if request.isTLS || address.isSecure { return true }
        return proxies.trusts(request.peer) && request.headers["X-Forwarded-Proto"] == "https"
    }
}
