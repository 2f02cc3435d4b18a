import FoundationEssentials
import HTTPServer
import Wire

extension OnyxRoutes {
    /// Adds the routes of sign-in through an identity provider.
    ///
    /// Source: contract of Onyx, endpoints; OX-2 to OX-5.
    func add(_ bridge: Bridge, to router: inout Router) {
        for path in ["/auth/oauth/authorize", "/auth/mobile/oauth/authorize"] {
            addLimited(.get, path, to: &router) { await $0.authorize($1, at: nil, bridge) }
        }
        for provider in bridge.providers.all {
            addLimited(.get, Self.authorizePath(of: provider), to: &router) {
                await $0.authorize($1, at: provider, bridge)
            }
        }
        for path in Set(bridge.providers.all.map(\.callbackPath)) {
            addLimited(.get, path, to: &router) { await $0.callback($1, at: path, bridge) }
            addLimited(.post, path, to: &router) { await $0.callback($1, at: path, bridge) }
        }
        addLimited(.post, "/auth/mobile/sso/exchange", to: &router) { try await $0.exchange($1, bridge) }
        add(.post, Self.backchannelPath, to: &router) { try await $0.backchannelLogout($1, bridge) }
    }

    /// Adds a route that nobody has signed in yet who asks for: its requests count against the client's address.
    private func addLimited(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        _ handler: @escaping @Sendable (OnyxRoutes, ServerRequest) async throws -> ServerResponse
    ) {
        add(method, path, to: &router) { routes, request in
            let caller = RequestCaller.from(routes.proxies.client(of: request))
            guard let wait = routes.services.limits.take(.address, caller) else {
                return try await handler(routes, request)
            }
            guard BridgeReturn.wantsPage(request) else { return OnyxAnswers.tooMany(wait) }
            return OnyxAnswers.later(routes.services.redirectPages.limited(request), wait)
        }
    }

    /// Where a sign-in at one provider begins, below the prefix.
    static func authorizePath(of provider: BridgeProvider) -> String { "/auth/oauth/\(provider.id)/authorize" }

    /// `GET …/authorize`: sends the browser to the identity provider, or tells where to send it, and sets the cookie of
    /// this sign-in.
    ///
    /// Source: OX-2; contract of Onyx, b.2.
    private func authorize(
        _ request: ServerRequest, at named: BridgeProvider?, _ bridge: Bridge
    ) async -> ServerResponse {
        let fields = request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
        let query: AuthorizeQuery
        do {
            query = try AuthorizeQuery(fields, bridge.redirects)
        } catch {
            return refusal(error, request)
        }
        guard let provider = named ?? query.provider.map({ bridge.providers[$0] }) ?? bridge.providers.unnamed,
            named == nil || query.provider == nil || query.provider == provider.id
        else { return refusal(.refused("Name an identity provider of this server with 'provider'"), request) }
        guard let base = bridge.address.base(of: request) else { return Self.misdirected }
        do {
            let beginning = try await bridge.begin(
                at: provider, query.destination, callback: base + settings.prefix + provider.callbackPath,
                request: request.id, isAgain: query.isAgain)
            return Self.sending(beginning, query, provider, bridge, beside: request)
        } catch {
            guard query.isRedirected else { return Self.program(error) }
            return ending(error, of: query.destination, at: provider, request)
        }
    }

    private static func sending(
        _ beginning: Bridge.Beginning, _ query: AuthorizeQuery, _ provider: BridgeProvider, _ bridge: Bridge,
        beside request: ServerRequest
    ) -> ServerResponse {
        var response =
            query.isRedirected
            ? ServerResponse(
                status: .found,
                headers: [
                    "Location": beginning.address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
                ])
            : OnyxAnswers.message(["authorization_url": beginning.address])
        for cookie in bridge.signInCookies.begin(beginning.secret, provider.sameSite, beside: request) {
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }

    private func refusal(_ refusal: AuthorizeQuery.Refusal, _ request: ServerRequest) -> ServerResponse {
        switch refusal {
        case .unreadable(let message):
            OnyxAnswers.refusal(.unprocessableContent, OnyxError(.validation, detail: message))
        case .refused(let message):
            BridgeReturn.wantsPage(request)
                ? services.redirectPages.failed(
                    .badRequest, "The app asked for a sign-in that this server does not allow.")
                : OnyxAnswers.business(.badRequest, .validationError, message)
        }
    }

    /// The request names another server than this one can know itself to be.
    ///
    /// Source: RFC 9110 §15.5.20.
    static let misdirected = OnyxAnswers.detail(
        HTTPStatus(rawValue: 421), "The server does not know its own address; set public_url.")
}
