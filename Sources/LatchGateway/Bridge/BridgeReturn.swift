import HTTPServer
import Wire

/// A browser that comes back from the identity provider: what it brought, and the answers that every dialect gives it.
///
/// Source: RFC 9700 §4.12 for 303 after a form.
struct BridgeReturn {
    let request: ServerRequest
    let pages: RedirectPage

    init(_ request: ServerRequest, _ pages: RedirectPage) {
        self.request = request
        self.pages = pages
    }

    /// What the provider sent: a form's fields, or the query's; nil when they cannot be read.
    var fields: FormFields? {
        if request.method == .post { return try? request.form() }
        return request.rawQuery.flatMap { try? FormURLEncoded.decode($0) } ?? FormFields()
    }

    /// Whether a person looks at the answer, not a program.
    var wantsPage: Bool {
        Self.wantsPage(request)
    }

    /// Whether a person looks at the answer to `request`, not a program.
    static func wantsPage(_ request: ServerRequest) -> Bool {
        request.headers.values("Accept").contains { $0.contains("text/html") }
    }

    /// The answer to a complete sign-in. The browser's former session ends, so that its token is not good any more.
    ///
    /// Source: OWASP Session Management Cheat Sheet, "Renew the Session ID After Any Privilege Level Change".
    func answer(_ ending: Bridge.CallbackResult, _ bridge: Bridge) async -> ServerResponse {
        switch ending {
        case .app(let link): return pages.returning(to: link, status: status)
        case .web(let session, let next):
            await bridge.end(RequestTokens(request, cookie: bridge.sessionCookie).cookie, request.id)
            var response = ServerResponse.redirect(to: next, status: status)
            response.headers.append("Set-Cookie", bridge.sessionCookie.set(session.token))
            return response
        }
    }

    /// The answer to a sign-in that led to nothing: the app that it was begun for hears of it in the words of OAuth.
    func answer(_ failure: BridgeFailure, to redirect: String, state: String) -> ServerResponse {
        let link = DeepLink.error(failure.error, failure.sentence, to: redirect, state: state)
        return pages.returningWithoutSuccess(to: link, failure.sentence, status: status)
    }

    private var status: HTTPStatus {
        request.method == .post ? .seeOther : .found
    }
}
