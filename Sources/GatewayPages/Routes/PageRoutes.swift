import Database
package import FoundationEssentials
import GatewayConfiguration
package import GatewayCore
package import GatewayHTTP
package import HTTPMessages
package import HTTPServer

/// The pages for people: sign-in, account and administration.
///
/// Every form has a token of ``FormTokens``. According to the browser's header fields it must come from a page of this
/// server. The response to a form that changed something is a redirect, so that a reload does not send the form again.
///
/// Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet; RFC 9700 §4.12; WCAG 2.2.
package struct PageRoutes: ServiceDialect {
    package let services: GatewayServices
    /// The session cookie of a browser.
    package let cookie: SessionCookie
    let formCookie: FormCookie
    package let tokens: FormTokens
    package let home: CanonicalHost
    /// The results of the checks of identity providers. They are created once with the gateway.
    let providerChecks = ProviderChecks()

    /// Creates the routes with the services of a gateway whose settings enable pages.
    package init(services: GatewayServices) {
        guard let cookie = services.cookie, let keys = services.keys else {
            preconditionFailure("A gateway with pages has a cookie and keys.")
        }
        self.services = services
        self.cookie = cookie
        formCookie = FormCookie(isSecure: cookie.isSecure)
        tokens = FormTokens(keys)
        home = CanonicalHost(services)
    }

    package var name: String { "pages" }
    package var prefix: String { services.settings.pages.prefix }
    package var title: String { services.settings.pages.title }
    package var now: Date { services.now() }
    var deviceTitles: DeviceTitles { DeviceTitles(apps: services.settings.appTitles) }

    /// The sign-in is served on every protected host. ``CanonicalHost`` decides what else is served there.
    package func hostScope(of pattern: String) -> HostCheck.Scope { entrances.contains(pattern) ? .own : .protected }

    /// Forms check their origin themselves, and respond with a page.
    package func siteScope(of route: Router.Route) -> SiteCheck.Scope { route.method == .post ? .everything : .pages }

    /// The paths that redirect to the account page.
    private var entrances: Set<String> { ["/", prefix.isEmpty ? "/" : prefix] }

    /// Adds the routes under the prefix.
    package func add(to router: inout Router) {
        addEntrances(to: &router)
        open(.get, PagePath.signIn, to: &router) { try await $0.signInPage($1) }
        open(.post, PagePath.signIn, to: &router) { try await $0.signIn($1) }
        open(.get, PagePath.signedIn, to: &router) { try await $0.continueAfterSignIn($1) }
        form(
            PagePath.signOut, on: PagePath.account, isForSignIn: true, mayChangePassword: true, change: nil, to: &router
        ) {
            try await $0.signOut($1)
        }
        addPassword(to: &router)
        addAccount(to: &router)
        addAdministration(to: &router)
    }

    /// Adds redirects to the account page, for a person who types only the server's address or the prefix.
    private func addEntrances(to router: inout Router) {
        for path in entrances.union([prefix + "/"]) {
            router.on(.get, path) { request in await response(request) { seeOther(PagePath.account) } }
        }
    }

    /// Returns the response to a request that the server refuses before any route runs.
    package func serverError(_ status: HTTPStatus, _ sentence: String, for request: RefusedRequest) -> ServerResponse {
        switch status {
        case .notFound: notFound
        case .misdirectedRequest: misdirected(request.headers["Host"])
        default: plain(status, title: "The request failed", sentence: sentence)
        }
    }

    /// Adds a route that needs no sign-in, on every host with a sign-in.
    package func open(
        _ method: HTTPMethod, _ path: String, to router: inout Router,
        handler: @escaping @Sendable (PageRoutes, ServerRequest) async throws -> ServerResponse
    ) {
        router.on(method, prefix + path) { request in
            await response(request, isForSignIn: true) { try await handler(self, request) }
        }
    }

    /// Adds a page for signed-in people. Other people are redirected to the sign-in page first. `mayChangePassword`
    /// says whether the page is open to a person who must change their password first. The pages of
    /// ``PagePath/isAdministration(_:)`` are for administrators only.
    package func page(
        _ path: String, mayChangePassword: Bool = false, to router: inout Router,
        handler: @escaping @Sendable (PageRoutes, SignedInRequest) async throws -> ServerResponse
    ) {
        router.on(.get, prefix + path) { request in
            await response(request) {
                try await visited(
                    request, mayChangePassword: mayChangePassword,
                    isAdministration: PagePath.isAdministration(path)
                ) { try await handler(self, $0) }
            }
        }
    }

    /// Adds a page with a path parameter.
    package func page<Named: PathParameter>(
        _ path: String, _ type: Named.Type, to router: inout Router,
        handler: @escaping @Sendable (PageRoutes, SignedInRequest, Named) async throws -> ServerResponse
    ) {
        router.on(.get, prefix + path, parameters: type) { request, named in
            await response(request) {
                try await visited(request, isAdministration: PagePath.isAdministration(path)) {
                    try await handler(self, $0, named)
                }
            }
        }
    }

    /// Adds a form for signed-in people. `isForSignIn` says whether it is served on every host with a sign-in; the other
    /// parameters are those of ``submitted(_:mayChangePassword:isAdministration:change:_:)``. The forms of
    /// ``PagePath/isAdministration(_:)`` are for administrators only.
    ///
    /// `page` is the page with the form, if the form has a path of its own. A person who opens that path, such as that of
    /// a question, is redirected there.
    package func form(
        _ path: String, on page: String? = nil, isForSignIn: Bool = false, mayChangePassword: Bool = false,
        change: RequestLimits.Change? = .other, to router: inout Router,
        handler: @escaping @Sendable (PageRoutes, SignedInRequest) async throws -> ServerResponse
    ) {
        if let page {
            router.on(.get, prefix + path) { request in
                await response(request, isForSignIn: isForSignIn) { seeOther(page) }
            }
        }
        router.on(.post, prefix + path) { request in
            await response(request, isForSignIn: isForSignIn) {
                try await submitted(
                    request, mayChangePassword: mayChangePassword,
                    isAdministration: PagePath.isAdministration(path), change: change
                ) { try await handler(self, $0) }
            }
        }
    }

    /// Adds a form with a path parameter. `page` is as in the other method.
    package func form<Named: PathParameter>(
        _ path: String, _ type: Named.Type, on page: String? = nil, change: RequestLimits.Change = .other,
        to router: inout Router,
        handler: @escaping @Sendable (PageRoutes, SignedInRequest, Named) async throws -> ServerResponse
    ) {
        if let page {
            router.on(.get, prefix + path, parameters: type) { request, _ in
                await response(request) { seeOther(page) }
            }
        }
        router.on(.post, prefix + path, parameters: type) { request, named in
            await response(request) {
                try await submitted(request, isAdministration: PagePath.isAdministration(path), change: change) {
                    try await handler(self, $0, named)
                }
            }
        }
    }

    /// Authenticates the visitor of a page, whom every write of `handler` checks again. Redirects those who must sign in
    /// or change their password first.
    package func visited(
        _ request: ServerRequest, mayChangePassword: Bool = false, isAdministration: Bool = false,
        _ handler: (SignedInRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        guard let visitor = try await visitor(of: request) else { return signInFirst(request) }
        guard !visitor.mustChangePassword || mayChangePassword else { return changePasswordFirst(request) }
        guard !isAdministration || visitor.person.isAdministrator else { return administratorsOnly }
        RequestActor.identify(.session(visitor.session.id), asAdministrator: isAdministration)
        return try await handler(SignedInRequest(request: request, visitor: visitor))
    }

    /// Authenticates the sender of a form, whom every write of `handler` checks again, and checks its token. A form that a
    /// browser sends twice has one effect, see ``SentForms``.
    ///
    /// - Parameters:
    ///   - request: The request with the form.
    ///   - mayChangePassword: Whether the form is open to a person who must change their password first.
    ///   - isAdministration: Whether the form is for administrators only.
    ///   - change: The limit that the form counts for. Nil for a sign-out, which must always work.
    ///   - handler: Answers the form.
    /// - Returns: The response.
    /// - Throws: The errors of `handler`; those of ``SentForms/response(to:isStored:_:)``.
    package func submitted(
        _ request: ServerRequest, mayChangePassword: Bool = false, isAdministration: Bool = false,
        change: RequestLimits.Change? = .other,
        _ handler: @escaping @Sendable (SignedInRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        guard cookie.comesFromOwnPage(request), let fields = try? request.form() else { return invalidForm }
        let sent = fields[FormTokens.field].map {
            SentForm(request, token: $0, of: RequestTokens(request, cookie: cookie).cookie)
        }
        guard let visitor = try await visitor(of: request) else {
            return try await repeated(sent) ?? signInAgain(request)
        }
        guard let sent, tokens.accepts(fields[FormTokens.field], of: .session(visitor.session.id)) else {
            return try await repeated(sent) ?? invalidForm
        }
        return try await services.sentForms.response(to: sent) {
            guard !visitor.mustChangePassword || mayChangePassword else { return seeOther(PagePath.password) }
            if let change,
                let wait = services.limits.consume(
                    change, by: visitor.session.caller, of: visitor.person.id)
            {
                return tooMany(wait)
            }
            guard !isAdministration || visitor.person.isAdministrator else { return administratorsOnly }
            RequestActor.identify(.session(visitor.session.id), asAdministrator: isAdministration)
            return try await handler(SignedInRequest(request: request, visitor: visitor, fields: fields))
        }
    }

    /// Returns the response to the first copy of a form that ended or replaced the session of its browser.
    private func repeated(_ form: SentForm?) async throws -> ServerResponse? {
        guard let form else { return nil }
        return try await services.sentForms.repeated(form)
    }

    /// Returns the person who is signed in in the browser of a request, or nil when no person is.
    package func visitor(of request: ServerRequest) async throws -> SignedInBrowser? {
        guard let token = RequestTokens(request, cookie: cookie).cookie else { return nil }
        let authentication = try await services.issuer.authenticate(token)
        return authentication.session.map {
            SignedInBrowser(token: token, session: $0, mustChangePassword: !authentication.isValid)
        }
    }

    /// Returns the sender of a request.
    package func client(of request: ServerRequest) -> RequestOrigin {
        origin(of: request, SessionDevice(name: request.headers["User-Agent"], kind: "Browser"))
    }

    /// Answers a request on the pages' own host. A request of the sign-in is answered on every host with a sign-in.
    package func response(
        _ request: ServerRequest, isForSignIn: Bool = false, _ handler: () async throws -> ServerResponse
    ) async -> ServerResponse {
        if let response = wrongHostResponse(request, isForSignIn: isForSignIn) { return response }
        do {
            return try await RequestActor.checkingWrites(now: services.now) { try await handler() }
        } catch {
            return failure(error, request)
        }
    }
}

/// A browser with a session.
package struct SignedInBrowser: Sendable {
    /// The token in the browser's cookie.
    package let token: String
    package let session: Session
    /// Whether the person must change their password before anything else.
    package internal(set) var mustChangePassword = false

    package var person: Person { session.person }
}

/// A request of a signed-in person.
package struct SignedInRequest: Sendable {
    package let request: ServerRequest
    package let visitor: SignedInBrowser
    /// The fields of the form; empty for a page.
    package internal(set) var fields = FormFields()

    package var person: Person { visitor.person }
    package var session: Session { visitor.session }
}
