import HTTPServer
import Wire

extension TimeTrackerRoutes {
    /// `GET` or `POST /auth/callback`: the browser comes back from the identity provider.
    ///
    /// Until state and cookie have shown that this browser began the sign-in nobody is sent anywhere: a link with somebody
    /// else's sign-in in it signs nobody in.
    ///
    /// Source: TT-3; contract of Time Tracker, (a); RFC 9700 §4.7.1, and §4.12 for 303 after a form.
    func callback(_ request: ServerRequest, at path: String, _ bridge: Bridge) async -> ServerResponse {
        guard let base = services.address.base(of: request) else { return Self.misdirected }
        let browser = BridgeReturn(request, services.redirectPages)
        guard let fields = browser.fields, let state = state(in: fields, at: path, bridge),
            let provider = bridge.providers[state.provider],
            let secret = bridge.signInCookies.secret(for: state, in: request)
        else { return invalidSession(request) }
        var response: ServerResponse
        do throws(BridgeFailure) {
            let ending = try await bridge.finish(
                state, secret, at: provider, fields, callback: base + prefix + path, client: client(of: request))
            response = await browser.answer(ending, bridge)
        } catch {
            response = ending(error, of: state.destination, request)
        }
        response.headers.append("Set-Cookie", bridge.signInCookies.end(state.id, provider.sameSite))
        return response
    }

    /// The sign-in that a callback belongs to; nil when it is none of this path's, too old, or may not end where it would.
    private func state(in fields: FormFields, at path: String, _ bridge: Bridge) -> BridgeState? {
        let states = fields.values("state")
        guard states.count == 1, let state = BridgeState(opening: states[0], bridge.keys),
            state.isLive(at: services.now()), let provider = bridge.providers[state.provider],
            callbackPath(of: provider, bridge) == path
        else { return nil }
        guard case .app(let redirect, _, _) = state.destination else { return state }
        return redirects.allows(redirect) ? state : nil
    }

    private func invalidSession(_ request: ServerRequest) -> ServerResponse {
        guard BridgeReturn.wantsPage(request) else { return TimeTrackerAnswers.refusal(.badRequest, "Invalid session") }
        return services.redirectPages.stranger
    }

    /// The app hears of a failure too, in the words of OAuth.
    private func ending(
        _ failure: BridgeFailure, of destination: BridgeState.Destination, _ request: ServerRequest
    ) -> ServerResponse {
        switch destination {
        case .web(let next): ending(failure, request, goingOnTo: next)
        case .app(let redirect, let state, _), .identity(let redirect, let state, _):
            BridgeReturn(request, services.redirectPages).answer(failure, to: redirect, state: state)
        }
    }
}
