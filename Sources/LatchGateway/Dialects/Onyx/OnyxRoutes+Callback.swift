import HTTPServer
import Wire

extension OnyxRoutes {
    /// `GET` or `POST …/callback`: the browser comes back from the identity provider.
    ///
    /// Until state and cookie have shown that this browser began the sign-in, what is wrong is told on a page. After that an
    /// app gets the outcome, good or bad, by its deep link, and the body of that redirect is the page for whoever stays.
    ///
    /// Source: OX-3, OX-4; contract of Onyx, b.3 and b.4; RFC 9700 §4.12 for 303 after a form.
    func callback(_ request: ServerRequest, at path: String, _ bridge: Bridge) async -> ServerResponse {
        guard let base = bridge.address.base(of: request) else { return Self.misdirected }
        let browser = BridgeReturn(request, services.redirectPages)
        guard let fields = browser.fields else { return refusal(.unreadable, request) }
        let state: BridgeState
        do {
            state = try open(fields, at: path, bridge)
        } catch {
            return refusal(error, request)
        }
        guard let provider = bridge.providers[state.provider],
            let secret = bridge.signInCookies.secret(for: state, in: request)
        else { return refusal(.foreign, request) }
        var response: ServerResponse
        do throws(BridgeFailure) {
            let ending = try await bridge.finish(
                state, secret, at: provider, fields, callback: base + settings.prefix + path,
                client: client(of: request))
            response = await browser.answer(ending, bridge)
        } catch {
            response = self.ending(error, of: state.destination, at: provider, request)
        }
        response.headers.append("Set-Cookie", bridge.signInCookies.end(state.id, provider.sameSite))
        return response
    }

    /// Why a browser that comes back is not known.
    private enum Stranger: String, Error {
        case missing = "Missing state parameter in OAuth callback"
        case unreadable = "ACCESS_TOKEN_DECODE_ERROR"
        case expired = "ACCESS_TOKEN_ALREADY_EXPIRED"
        case foreign = "OAUTH_INVALID_STATE"
    }

    /// The sign-in that a callback belongs to. It must come to the path that its provider has: another provider's answer
    /// is not taken for it.
    ///
    /// Source: RFC 9700 §4.4.2.2.
    private func open(_ fields: FormFields, at path: String, _ bridge: Bridge) throws(Stranger) -> BridgeState {
        let states = fields.values("state")
        guard let text = states.first else { throw .missing }
        guard states.count == 1, let state = BridgeState(opening: text, bridge.keys) else { throw .unreadable }
        guard state.isLive(at: bridge.now()) else { throw .expired }
        guard bridge.providers[state.provider]?.callbackPath == path, bridge.mayEnd(at: state.destination) else {
            throw .foreign
        }
        return state
    }

    private func refusal(_ stranger: Stranger, _ request: ServerRequest) -> ServerResponse {
        guard BridgeReturn.wantsPage(request) else {
            return OnyxAnswers.business(.badRequest, .validationError, stranger.rawValue)
        }
        return services.redirectPages.stranger
    }

    /// The answer to a sign-in that led to nothing.
    func ending(
        _ failure: BridgeFailure, of destination: BridgeState.Destination, at provider: BridgeProvider,
        _ request: ServerRequest
    ) -> ServerResponse {
        switch destination {
        case .app(let redirect, let state, _), .identity(let redirect, let state, _):
            return BridgeReturn(request, services.redirectPages).answer(failure, to: redirect, state: state)
        case .web(let next):
            let answer = Self.program(failure)
            guard BridgeReturn.wantsPage(request) else { return answer }
            let pages = services.redirectPages
            return pages.failed(
                answer.status, failure.sentence,
                again: pages.signIn(goingOnTo: next) ?? settings.prefix + Self.authorize(at: provider, goingOnTo: next))
        }
    }

    /// The address where a sign-in of the browser itself starts.
    private static func authorize(at provider: BridgeProvider, goingOnTo next: String) -> String {
        authorizePath(of: provider) + "?" + FormURLEncoded.encode([("redirect", "true"), ("next", next)])
    }

    /// The answer to a program.
    static func program(_ failure: BridgeFailure) -> ServerResponse {
        switch failure.outcome {
        case .denied: OnyxAnswers.detail(.badRequest, failure.error)
        case .refused: OnyxAnswers.business(.forbidden, .unauthorized, failure.sentence)
        case .unavailable: OnyxAnswers.later(OnyxAnswers.detail(.serviceUnavailable, failure.sentence), .seconds(10))
        case .begun, .completed, .failed:
            OnyxAnswers.business(.badRequest, .validationError, failure.sentence)
        }
    }
}
