import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OAuth
import OpenIDConnect
import SignInBridge

extension TimeTrackerRoutes {
    /// Adds the routes of sign-in.
    func add(_ bridge: Bridge, to router: inout Router) {
        add(.get, "/auth/login", to: &router) { await $0.login($1, bridge) }
        addLimited(.post, "/auth/token", to: &router) { try await $0.token($1, bridge) }
        addCallbacks(bridge, to: &router)
    }

    /// Returns the path that a provider redirects the browser to, below the prefix. With several providers each has its
    /// own path, so that the response of one provider is not accepted for another.
    ///
    /// Source: RFC 9700 §4.4.2.2.
    static func callbackPath(of provider: ProviderConfiguration, among count: Int) -> String {
        count == 1 ? "/auth/callback" : "/auth/callback/\(provider.id)"
    }

    /// `GET /auth/login`: redirects the browser to the identity provider. With `redirect_uri` the sign-in ends in an
    /// app, without it in the browser.
    ///
    /// Source: TT-3; docs/protocols/time-tracker.md, Start of a sign-in and Sign-in state.
    func login(_ request: ServerRequest, _ bridge: Bridge) async -> ServerResponse {
        if let wait = starts.consume(.from(services.proxies.client(of: request))) {
            return refusal(.tooManyRequests, "Too many sign-ins from your address. Try again later.", for: request)
                .retry(after: wait)
        }
        let fields = request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
        for name in ["redirect_uri", "provider", "next", "state"] where fields.values(name).count > 1 {
            return refusal(.badRequest, "The parameter '\(name)' occurs more than once.", for: request)
        }
        if fields["provider"] == nil, services.settings.pages.isEnabled, bridge.providers.all.count > 1,
            BridgeCallback.wantsPage(request)
        {
            return choice(fields, bridge)
        }
        guard let provider = fields["provider"].map({ bridge.providers[$0] }) ?? bridge.providers.all.first else {
            return refusal(.badRequest, "This server has no such identity provider.", for: request)
        }
        if let redirect = fields["redirect_uri"], !redirect.isEmpty {
            guard redirects.allows(redirect) else {
                return refusal(.badRequest, "The server does not allow this redirect_uri.", for: request)
            }
            if fields["state"] == nil, Self.isSentByApp(request) {
                return redirectWithState(request, fields: fields, bridge: bridge)
            }
            let state = fields["state"].map { TimeTrackerState.open($0, at: services.now(), keys: bridge.keys) }
            guard state != .some(nil) else {
                return refusal(.badRequest, "This sign-in has expired. Start it again in the app.", for: request)
            }
            return await login(request, to: redirect, state: state ?? nil, at: provider, bridge: bridge)
        }
        return await login(request, fields: fields, at: provider, bridge: bridge)
    }

    /// Whether the app itself sends the request, not its browser.
    private static func isSentByApp(_ request: ServerRequest) -> Bool {
        !BridgeCallback.wantsPage(request) && request.headers.values("Accept").contains { $0.contains(JSON.mediaType) }
    }

    /// Redirects an app's browser to this route again, with a `state` that the app can see. The app can compare it when
    /// the browser returns, and the browser that follows the redirect gets the cookie.
    private func redirectWithState(_ request: ServerRequest, fields: FormFields, bridge: Bridge) -> ServerResponse {
        guard let base = services.address.base(of: request),
            let state = try? TimeTrackerState.make(at: services.now(), keys: bridge.keys)
        else { return unknownAddress(request) }
        let asked = fields.pairs.filter { ["redirect_uri", "provider"].contains($0.name) }.map { ($0.name, $0.value) }
        return .redirect(to: "\(base)\(prefix)/auth/login?\(FormURLEncoded.encode(asked + [("state", state.text)]))")
    }

    /// Begins the sign-in of an app. `state` is the state that the app has seen; nil when it has seen none.
    private func login(
        _ request: ServerRequest, to redirect: String, state: State?, at provider: BridgeProvider, bridge: Bridge
    ) async -> ServerResponse {
        do throws(BridgeFailure) {
            if settings.callback == .app, provider.configuration.settings.responseMode != .formPost {
                let address = try await bridge.beginInApp(
                    at: provider, redirect: redirect, state: state, client: origin(of: request))
                return .redirect(to: address)
            }
            guard let callback = callbackAddress(of: provider, request) else { return unknownAddress(request) }
            let startPath = try await bridge.beginForApp(
                at: provider, redirect: redirect, state: state, callback: callback, client: origin(of: request))
            return self.redirect(to: startPath, at: provider, beside: request)
        } catch {
            return failed(error, request)
        }
    }

    /// Begins the sign-in of a browser.
    private func login(
        _ request: ServerRequest, fields: FormFields, at provider: BridgeProvider, bridge: Bridge
    ) async -> ServerResponse {
        let own = FormFields(fields.pairs.filter { $0.name == "next" })
        guard let query = try? AuthorizeQuery(own, redirects) else {
            return refusal(.badRequest, "The parameter 'next' must be a path of this server.", for: request)
        }
        guard let callback = callbackAddress(of: provider, request) else { return unknownAddress(request) }
        do throws(BridgeFailure) {
            let startPath = try await bridge.begin(
                at: provider, query.returnTo, callback: callback, request: request.id)
            return self.redirect(to: startPath, at: provider, beside: request)
        } catch {
            return failed(error, request)
        }
    }

    /// Returns a page to choose the provider, for servers with several providers and with pages.
    private func choice(_ fields: FormFields, _ bridge: Bridge) -> ServerResponse {
        let asked = fields.pairs.filter { ["redirect_uri", "next", "state"].contains($0.name) }.map {
            ($0.name, $0.value)
        }
        let buttons = bridge.providers.all.map { provider in
            let query = FormURLEncoded.encode(asked + [("provider", provider.id)])
            return ProviderButton(provider.configuration, "\(prefix)/auth/login?\(query)")
        }
        return services.redirectPages.choice(buttons)
    }

    /// Returns a refusal: a page with a link to start again for a browser, JSON for a program.
    func refusal(
        _ status: HTTPStatus, _ sentence: String, for request: ServerRequest, again: String? = nil
    ) -> ServerResponse {
        BridgeCallback.wantsPage(request)
            ? services.redirectPages.failed(status, sentence, again: again)
            : TimeTrackerResponses.refusal(status, sentence)
    }
}
