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
        let sent = request.method == .post ? try? request.form() : Self.query(of: request)
        guard let fields = sent, let state = state(in: fields, at: path, bridge),
            let provider = bridge.providers[state.provider],
            let secret = bridge.signInCookies.secret(for: state, in: request)
        else { return invalidSession(request) }
        var response: ServerResponse
        do throws(BridgeFailure) {
            let ending = try await bridge.finish(
                state, secret, at: provider, fields, callback: base + prefix + path, client: client(of: request))
            response = Self.ending(ending, bridge, request)
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
        guard OnyxRoutes.wantsPage(request) else { return TimeTrackerAnswers.refusal(.badRequest, "Invalid session") }
        return RedirectPage.failed(
            .badRequest, "This sign-in has ended or took too long, or it was begun in another browser.")
    }

    private static func ending(_ ending: Bridge.Ending, _ bridge: Bridge, _ request: ServerRequest) -> ServerResponse {
        switch ending {
        case .app(let link): return RedirectPage.returning(to: link, status: redirect(request))
        case .web(let session, let next):
            return ServerResponse(
                status: redirect(request),
                headers: [
                    "Location": next, "Set-Cookie": bridge.sessionCookie.set(session.token),
                    "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
                ])
        }
    }

    /// The app hears of a failure too, in the words of OAuth.
    private func ending(
        _ failure: BridgeFailure, of destination: BridgeState.Destination, _ request: ServerRequest
    ) -> ServerResponse {
        guard case .app(let redirect, let state, _) = destination else { return ending(failure, request) }
        let link = DeepLink.error(failure.error, failure.sentence, to: redirect, state: state)
        return RedirectPage.returningWithoutSuccess(to: link, failure.sentence, status: Self.redirect(request))
    }

    private static func redirect(_ request: ServerRequest) -> HTTPStatus {
        request.method == .post ? .seeOther : .found
    }

    private static func query(of request: ServerRequest) -> FormFields? {
        request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }
}
