import GatewayCore
package import HTTPMessages
package import HTTPServer
package import SignInBridge

/// The request of a browser that returns from the identity provider, and the responses that all dialects have in
/// common.
package struct BridgeCallback {
    package let request: ServerRequest
    private let services: GatewayServices
    private var pages: RedirectPage { services.redirectPages }

    package init(_ request: ServerRequest, _ services: GatewayServices) {
        self.request = request
        self.services = services
    }

    /// The parameters that the provider sent, from the form or the query. Nil when they cannot be parsed.
    package var fields: FormFields? {
        if request.method == .post { return try? request.form() }
        return request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }

    /// Whether the client is a browser that shows a page to a person, rather than a program.
    package var wantsPage: Bool {
        Self.wantsPage(request)
    }

    /// Whether the client that sent `request` is a browser that shows a page to a person, rather than a program.
    package static func wantsPage(_ request: ServerRequest) -> Bool {
        request.headers.acceptsPage
    }

    /// Returns the response to a complete sign-in. The browser's former session ends, so that its token becomes
    /// invalid.
    ///
    /// Source: OWASP Session Management Cheat Sheet, "Renew the Session ID After Any Privilege Level Change".
    package func response(_ ending: Bridge.CallbackResult, _ bridge: Bridge) async -> ServerResponse {
        switch ending {
        case .app(let link): return pages.returning(to: link, after: request.method)
        case .web(let session, let next):
            await bridge.end(RequestTokens(request, cookie: services.cookie).cookie, request.id)
            var response = pages.continuing(to: next, title: "You are signed in", after: request.method)
            if let cookie = services.cookie { response.headers.append("Set-Cookie", cookie.set(session.token)) }
            return response
        }
    }

    /// Returns the response to a failed sign-in, which passes an OAuth error to the app.
    package func response(_ failure: BridgeFailure, to redirect: String, state: String) -> ServerResponse {
        let link = DeepLink.error(failure.error, failure.sentence, to: redirect, state: state)
        return pages.returningWithoutSuccess(to: link, failure.sentence, after: request.method)
    }
}
