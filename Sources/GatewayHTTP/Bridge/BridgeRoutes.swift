import FoundationEssentials
import GatewayConfiguration
import GatewayCore
package import HTTPMessages
package import HTTPServer
import ServerMessages
package import SignInBridge

/// The routes of sign-in through an identity provider, shared by all dialects and the pages. They exist when a provider
/// is configured.
///
/// Programs get errors in the envelope of Onyx.
///
/// Source: OX-2 to OX-5; RFC 8252; RFC 9700.
package struct BridgeRoutes: BridgeDialect {
    package let services: GatewayServices
    package let bridge: Bridge

    /// Creates the routes of a bridge.
    package init(services: GatewayServices, bridge: Bridge) {
        self.services = services
        self.bridge = bridge
    }

    /// The name of the Onyx dialect, because the paths belong to Onyx and have its prefix.
    package var name: String { "dialects.onyx" }
    package var prefix: String { services.settings.bridge.prefix }

    /// Always false: unknown paths below the prefix belong to the Onyx dialect.
    package func owns(_ path: String) -> Bool { false }

    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        DefaultResponses.serverError(status, sentence)
    }

    package func failure(_ error: any Error, _ request: ServerRequest) -> ServerResponse {
        DefaultResponses.failure(error, of: request, log: services.log)
    }

    /// 422 only. A 400 means a refusal for another reason here.
    package var unreadable: Set<HTTPStatus> { [.unprocessableContent] }

    package func add(to router: inout Router) {
        for path in ["/auth/oauth/authorize", "/auth/mobile/oauth/authorize"] {
            addLimited(.get, path, to: &router) { await $0.authorize($1, at: nil) }
        }
        for provider in bridge.providers.all {
            addLimited(.get, Self.authorizePath(of: provider), to: &router) { await $0.authorize($1, at: provider) }
        }
        addCallbacks(bridge, to: &router)
        addLimited(.post, "/auth/mobile/sso/exchange", to: &router) { try await $0.exchange($1) }
        // Only refused requests count against the address, because a provider may sign many people out at once.
        add(.post, Self.backchannelPath, to: &router) { try await $0.backchannelLogout($1) }
    }

    /// Returns the path that begins a sign-in at one provider, below the prefix.
    package static func authorizePath(of provider: BridgeProvider) -> String { "/auth/oauth/\(provider.id)/authorize" }

    package func callbackPath(of provider: BridgeProvider) -> String { provider.callbackPath }

    package func canEnd(at returnTo: PendingAuthorization.ReturnTarget) -> Bool { bridge.canEnd(at: returnTo) }

    package func startPath(at provider: BridgeProvider, continuingAt next: String) -> String {
        Self.authorizePath(of: provider) + "?" + FormURLEncoded.encode([("redirect", "true"), ("next", next)])
    }

    package func otherAccountPath(at provider: BridgeProvider, continuingAt next: String) -> String? {
        startPath(at: provider, continuingAt: next) + "&another=true"
    }

    package func refusal(of callback: InvalidCallback) -> ServerResponse {
        let text =
            switch callback {
            case .missingState: "Missing state parameter in OAuth callback"
            case .unreadableState: "ACCESS_TOKEN_DECODE_ERROR"
            case .expired: "ACCESS_TOKEN_ALREADY_EXPIRED"
            case .notRecognized: "OAUTH_INVALID_STATE"
            }
        return DefaultResponses.business(.badRequest, code: .validationError, detail: text)
    }

    package func refusal(of failure: BridgeFailure) -> ServerResponse {
        switch failure.outcome {
        case .denied: DefaultResponses.detail(.badRequest, failure.error)
        case .refused: DefaultResponses.business(.forbidden, code: .unauthorized, detail: failure.sentence)
        case .unavailable: DefaultResponses.detail(.serviceUnavailable, failure.sentence).retry(after: .seconds(10))
        case .begun, .completed, .failed:
            DefaultResponses.business(.badRequest, code: .validationError, detail: failure.sentence)
        }
    }

    /// `GET …/authorize`: redirects the browser to the identity provider, or returns the address of the redirect, and
    /// sets the cookie of this sign-in.
    ///
    /// Source: OX-2; docs/protocols/onyx.md, Authorize.
    private func authorize(_ request: ServerRequest, at named: BridgeProvider?) async -> ServerResponse {
        let fields = request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
        let query: AuthorizeQuery
        do {
            query = try AuthorizeQuery(fields, bridge.redirects)
        } catch {
            return refusal(error, request)
        }
        guard let provider = named ?? query.provider.map({ bridge.providers[$0] }) ?? bridge.providers.unnamed,
            named == nil || query.provider == nil || query.provider == provider.id
        else { return refusal(.refused("Set 'provider' to an identity provider of this server"), request) }
        guard let callback = callbackAddress(of: provider, request) else { return unknownAddress(request) }
        do {
            let startPath = try await bridge.begin(
                at: provider, query.returnTo, callback: callback, request: request.id,
                requiresReauthentication: query.requiresReauthentication, choosesAccount: query.choosesAccount)
            guard !query.isRedirected else { return redirect(to: startPath, at: provider, beside: request) }
            return services.settingSignInCookies(
                .privateJSON(["authorization_url": startPath.address]), of: startPath, at: provider, beside: request)
        } catch {
            guard query.isRedirected else { return refusal(of: error) }
            return failed(error, of: query.returnTo, at: provider, request)
        }
    }

    private func refusal(_ refusal: AuthorizeQuery.Refusal, _ request: ServerRequest) -> ServerResponse {
        switch refusal {
        case .unreadable(let message):
            DefaultResponses.refusal(.unprocessableContent, OnyxError(.validation, detail: message))
        case .refused(let message):
            BridgeCallback.wantsPage(request)
                ? services.redirectPages.failed(
                    .badRequest, "The app asked for a sign-in that this server does not allow.")
                : DefaultResponses.business(.badRequest, code: .validationError, detail: message)
        }
    }
}
