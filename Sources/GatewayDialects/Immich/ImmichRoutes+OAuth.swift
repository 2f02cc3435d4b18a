import Crypto
import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OAuth
import ServerMessages
import SignInBridge

extension ImmichRoutes {
    /// Adds the routes of sign-in through an identity provider.
    ///
    /// An Immich server returns the provider's address and receives the provider's code. Here the gateway is the
    /// provider's client. The app gets the address of ``start(_:_:)``, and the code in its redirect is one of the
    /// gateway's, which works once and only with the app's challenge. The difference is invisible to the app.
    ///
    /// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
    func addOAuth(to router: inout Router) {
        routing.on(.get, "/oauth/mobile-redirect", to: &router) { Self.mobileRedirect($0) }
        addLimited(.post, "/oauth/authorize", to: &router) { try authorize($0) }
        addLimited(.get, "/oauth/authorize", to: &router) { try authorizeByQuery($0) }
        addLimited(.post, "/oauth/callback", to: &router) { try await callback($0) }
        addLimited(.post, "/oauth/link", to: &router) { try await link($0) }
        addLimited(.post, "/oauth/unlink", to: &router) { try await unlink($0) }
        routing.on(.post, "/oauth/backchannel-logout", to: &router) { try await endByProvider($0) }
        if let bridge = services.bridge {
            addLimited(.get, "/oauth/start", to: &router) { await start($0, bridge) }
        }
    }

    /// Adds a route whose requests count against the client's address, as in every sign-in through a provider.
    private func addLimited(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) {
        routing.on(method, path, to: &router) { request in
            if let refusal = limited(request, "Too many attempts; try again later.") { return refusal }
            return try await handler(request)
        }
    }

    /// Returns the bridge to the identity providers.
    ///
    /// - Throws: ``ImmichRefusal`` with 400 when no provider is configured.
    func requiredBridge() throws(ImmichRefusal) -> Bridge {
        guard let bridge = services.bridge else { throw ImmichRefusal(.badRequest, "OAuth is not enabled") }
        return bridge
    }

    /// `POST /oauth/authorize`: returns the address where the browser begins. If the client does not send a state or a
    /// challenge, the server creates them and the client stores them in cookies.
    private func authorize(_ request: ServerRequest) throws -> ServerResponse {
        let bridge = try requiredBridge()
        var body = ImmichBody(request)
        let redirect = body.text("redirectUri")
        let sent = (state: body.optionalText("state"), challenge: body.optionalText("codeChallenge"))
        let challenge = sent.challenge.map(PKCE.Challenge.init)
        if case .some(nil) = challenge {
            body.refuse(
                "codeChallenge", message: "Invalid string: 43 characters of base64url, made by S256",
                code: "invalid_format")
        }
        if let state = sent.state, !(1...AuthorizeQuery.maximumStateCount).contains(state.utf8.count) {
            body.refuse("state", message: "Invalid string: 1 to 512 bytes", code: "too_big")
        }
        try body.check()
        let verifier = PKCE.Verifier()
        let state = sent.state ?? State().text
        let url = try address(
            bridge, request, redirect: redirect, state: state,
            challenge: challenge.flatMap { $0 } ?? verifier.challenge)
        var response = ServerResponse.privateJSON(ImmichAuthorizationResponse(url: url), status: .created)
        guard sent.state == nil || sent.challenge == nil, Self.isCookieValue(state) else { return response }
        for cookie in cookies.beginSignIn(
            state: state, verifier: sent.challenge == nil ? verifier.secret : nil, for: request)
        {
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }

    /// `GET /oauth/authorize`: does the same with a query, which no release of Immich has. The default redirect is
    /// ``ImmichSettings/specifiedRedirect``.
    private func authorizeByQuery(_ request: ServerRequest) throws -> ServerResponse {
        let bridge = try requiredBridge()
        var issues: [ImmichError.Issue] = []
        func one(_ name: String) -> String? {
            let values = request.queryValues(name)
            if values.count > 1 {
                issues.append(.init(path: [name], message: "Occurs more than once", code: "invalid_type"))
            }
            return values.first
        }
        let challenge = one("code_challenge").flatMap(PKCE.Challenge.init)
        let state = one("state") ?? ""
        if challenge == nil {
            issues.append(
                .init(path: ["code_challenge"], message: "43 characters of base64url", code: "invalid_format"))
        }
        if let method = one("code_challenge_method"), method != PKCE.Challenge.method {
            issues.append(.init(path: ["code_challenge_method"], message: "Expected S256", code: "invalid_value"))
        }
        if !(1...AuthorizeQuery.maximumStateCount).contains(state.utf8.count) {
            issues.append(.init(path: ["state"], message: "1 to 512 bytes", code: "invalid_format"))
        }
        let redirect = one("redirect_uri") ?? ImmichSettings.specifiedRedirect
        guard let challenge, issues.isEmpty else { throw ImmichRefusal(issues) }
        let url = try address(bridge, request, redirect: redirect, state: state, challenge: challenge)
        return ServerResponse.privateJSON(ImmichAuthorizationResponse(url: url))
    }

    /// Returns the address where the browser begins.
    private func address(
        _ bridge: Bridge, _ request: ServerRequest, redirect: String, state: String, challenge: PKCE.Challenge
    ) throws(ImmichRefusal) -> String {
        guard bridge.redirects.allows(redirect) else {
            throw ImmichRefusal([
                .init(path: ["redirectUri"], message: "Not a redirect that this server allows", code: "invalid_value")
            ])
        }
        guard let base = services.address.base(of: request) else {
            throw ImmichRefusal(
                .misdirectedRequest, "The server does not know its own address; set public_url.")
        }
        let query = FormURLEncoded.encode([
            ("redirect_uri", redirect), ("state", state), ("code_challenge", challenge.text),
        ])
        return "\(base)\(prefix)/oauth/start?\(query)"
    }

    /// `GET /oauth/mobile-redirect`: redirects to the app with the same query, for providers that do not accept the URL
    /// scheme of an app.
    ///
    /// Source: docs/protocols/immich.md, Redirect addresses.
    private static func mobileRedirect(_ request: ServerRequest) -> ServerResponse {
        let query = request.rawQuery ?? ""
        guard query.utf8.count <= longestRedirectedQuery else {
            return ImmichResponses.failure(HTTPStatus(rawValue: 414), "The query is too long.")
        }
        return .redirect(to: "app.immich:///oauth-callback?\(query)", status: HTTPStatus(rawValue: 307))
    }

    /// The maximum length of a query that is copied into `Location`, in bytes. nginx accepts 4 KiB of
    /// fields in a response, and no provider sends that much.
    private static let longestRedirectedQuery = 3_072

    /// Whether a cookie may have this value.
    ///
    /// Source: RFC 6265 §4.1.1.
    private static func isCookieValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !"\",;\\".utf8.contains($0) }
    }
}
