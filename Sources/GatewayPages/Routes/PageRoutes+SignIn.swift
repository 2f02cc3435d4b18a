import Crypto
import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
import HTTPMessages
package import HTTPServer
import OAuth
import Primitives
import SignInBridge

extension PageRoutes {
    /// `GET /sign-in?return=…`: shows the sign-in form. If a person is already signed in, shows who it is and a link to
    /// continue.
    func signInPage(_ request: ServerRequest) async throws -> ServerResponse {
        let destination = destination(request.query("return"))
        guard let visitor = try await visitor(of: request) else {
            var page = signInPage(request, destination)
            page.0.note = request.query("done").flatMap { SignInPage.notes[$0] }
            page.0.email = request.query(PagePath.loginHint).flatMap { $0.displayName(limit: PagePath.longestHint) }
            return respond(page)
        }
        guard request.query("again") == "1" else {
            return signedInAlready(visitor, continuingTo: destination, for: request)
        }
        var page = signInPage(request, destination, again: visitor)
        page.0.requiresSeveralFactors = request.query("acr_values") == AuthenticationLevel.multiFactor.rawValue
        return respond(page)
    }

    /// `POST /sign-in`: signs in a browser with e-mail and password, and leads it to the requested page.
    ///
    /// The browser's earlier session ends, so that its token is no longer valid.
    ///
    /// Source: OWASP Session Management Cheat Sheet, "Renew the Session ID After Any Privilege Level Change".
    package func signIn(_ request: ServerRequest) async throws -> ServerResponse {
        guard let fields = try? request.form() else { return invalidForm }
        let destination = destination(fields["return"])
        let before = try await visitor(of: request)
        let again = fields["again"] == "1" ? before : nil
        var page = signInPage(request, destination, again: again)
        let email = again?.person.email ?? fields["username"] ?? ""
        page.0.email = fields["username"].map { String($0.prefix(320)) }
        guard services.settings.passwordsEnabled else { return respond(page, status: .forbidden) }
        guard cookie.comesFromOwnPage(request), let value = formCookie.value(in: request),
            let token = fields[FormTokens.field], tokens.accepts(token, of: .browser(value))
        else {
            if cookie.comesFromOwnPage(request), let before,
                let response = signedInMeanwhile(before, as: email, again: again != nil, destination, request)
            {
                return response
            }
            page.0.alert = """
                The page was open for too long, the browser blocks the cookies of this site, or the form did not come \
                from this server. Allow cookies for this site and try again.
                """
            return respond(page, status: .forbidden)
        }
        let password = fields["password"] ?? ""
        if email.isEmpty { page.0.emailError = "Enter your e-mail address." }
        if password.isEmpty { page.0.passwordError = "Enter your password." }
        guard !email.isEmpty, !password.isEmpty else { return respond(page, status: .unprocessableContent) }
        return try await services.sentForms.response(to: SentForm(request, token: token, of: value)) { [page] in
            try await signIn(email, Secret(password), on: page, for: request, before: before)
        }
    }

    /// Returns the response to the form of a browser that has signed in since its page was opened, for example in another
    /// tab: the form's cookie is used up. The browser continues where the page leads, or the response says who is signed
    /// in if the form names somebody else. Nil when the person was to confirm who they are, and has not.
    private func signedInMeanwhile(
        _ visitor: SignedInBrowser, as email: String, again: Bool, _ destination: ReturnAddress?,
        _ request: ServerRequest
    ) -> ServerResponse? {
        if again {
            let visit = SignedInRequest(request: request, visitor: visitor)
            return isRecent(visit, for: .administer) ? onward(to: destination, after: request) : nil
        }
        return EmailAddress(normalizing: email) == EmailAddress(normalizing: visitor.person.email)
            ? onward(to: destination, after: request)
            : signedInAlready(visitor, continuingTo: destination, for: request, status: .forbidden)
    }

    private func signIn(
        _ email: String, _ password: Secret, on page: (SignInPage, String), for request: ServerRequest,
        before: SignedInBrowser?
    ) async throws -> ServerResponse {
        var page = page
        switch try await services.signIn.attempt(
            EmailAddress(normalizing: email), password, from: client(of: request))
        {
        case .signedIn(let credential):
            services.metrics.signIn(.succeeded)
            if let before { _ = try await services.issuer.end(before.token) }
            var response = onward(to: page.0.destination, after: request)
            response.headers.append("Set-Cookie", cookie(for: request).set(credential.token))
            response.headers.append("Set-Cookie", formCookie.end)
            return response
        case .refused, .passwordChangeRequired:
            services.metrics.signIn(.refused)
            page.0.alert = "The e-mail address or password is incorrect. Please try again."
            return respond(page, status: .forbidden)
        case .limited(let wait):
            services.metrics.signIn(.limited)
            page.0.alert = """
                Too many attempts. Try again in \(ReadableTime.length(wait, isWait: true)). \
                Attempts before then are not checked.
                """
            return respond(page, status: .tooManyRequests).retry(after: wait)
        }
    }

    /// `GET /sign-in/done?return=…`: redirects a browser that returns from an identity provider to the requested page.
    func continueAfterSignIn(_ request: ServerRequest) async throws -> ServerResponse {
        let destination = destination(request.query("return"))
        guard try await visitor(of: request) != nil else { return respond(signInPage(request, destination)) }
        return onward(to: destination, after: request)
    }

    /// Returns the response that leads a signed-in browser to the requested page. A sign-in without one leads to the
    /// account page, or to `/` on a host that does not serve the account page.
    private func onward(to destination: ReturnAddress?, after request: ServerRequest) -> ServerResponse {
        guard destination != nil || home.place(of: request) != .own else { return seeOther(PagePath.account) }
        return services.redirectPages.continuing(
            to: destination?.text ?? "/", title: "You are signed in", after: request.method)
    }

    /// `POST /sign-out`: ends the browser's session. A form with `return` continues there after the next sign-in.
    package func signOut(_ visit: SignedInRequest) async throws -> ServerResponse {
        try await end(visit.visitor, visit.request)
        let back = destination(visit.fields["return"]).map { [("return", $0.text)] } ?? []
        var response = seeOther(PagePath.signIn + "?" + FormURLEncoded.encode([("done", "out")] + back))
        response.headers.append("Set-Cookie", cookie(for: visit.request).end)
        return response
    }

    /// Ends the session of a browser. The response must end its cookie.
    package func end(_ visitor: SignedInBrowser, _ request: ServerRequest) async throws {
        RequestActor.forget()
        guard let ended = try await services.issuer.end(visitor.token) else { return }
        let client = client(of: request)
        services.audit.record(
            AuditEvent(
                .signedOut, person: ended.person, session: ended.session, address: client.address.description,
                request: request.id, device: client.device))
    }

    /// The session cookie as a request's host can set it.
    private func cookie(for request: ServerRequest) -> SessionCookie {
        home.signsIn(request) ? cookie : cookie.forOneHost
    }

    /// Returns where a sign-in leads, or nil when no address is given or the address is not allowed.
    package func destination(_ text: String?) -> ReturnAddress? {
        text.flatMap { ReturnAddress.check($0, allowsHost: services.returnHosts.allows) }
    }

    /// Returns the page, and the value of the cookie that its form depends on.
    private func signInPage(
        _ request: ServerRequest, _ destination: ReturnAddress?, again: SignedInBrowser? = nil
    ) -> (SignInPage, String) {
        let value = formCookie.value(in: request) ?? FormCookie.make()
        var page = SignInPage(
            title: title, prefix: prefix, token: tokens.token(of: .browser(value)), destination: destination,
            acceptsPasswords: services.settings.passwordsEnabled, lifetime: services.settings.sessions)
        // A provider redirects to the pages' own host, where a cookie of another host cannot be set.
        if home.place(of: request) == .own {
            page.providers = providers(destination, requiresReauthentication: again != nil)
        }
        page.again = again?.person
        page.otherWays = again.map { otherWays(for: $0, continuingTo: destination) }
        return (page, value)
    }

    /// What a person can do instead of confirming who they are: return to the page of the pages that asked for it, or to
    /// the account, or sign out to be somebody else.
    private func otherWays(for visitor: SignedInBrowser, continuingTo destination: ReturnAddress?) -> HTML {
        let account = prefix + PagePath.account
        let own = [account, prefix + PagePath.administration]
        let back = destination?.text
        let path = back?.prefix { $0 != "?" } ?? ""
        let page = own.contains { path == $0 || path.hasPrefix($0 + "/") } ? back : nil
        return """
            <p><a class="button block other" href="\(link: page ?? account)">\
            \(page == nil ? "Go to your account" : "Cancel")</a></p>
            \(notYou(visitor.session.id, returningTo: back ?? account))
            """
    }

    private func respond(_ page: (SignInPage, String), status: HTTPStatus = .ok) -> ServerResponse {
        var response = page.0.page.response(status: status)
        response.headers.append("Set-Cookie", formCookie.set(page.1))
        return response
    }

    /// Returns the identity providers, each with the address where a browser's sign-in begins.
    private func providers(_ destination: ReturnAddress?, requiresReauthentication: Bool) -> [ProviderButton] {
        guard let bridge = services.bridge else { return [] }
        let next = prefix + PagePath.signedIn
        let whole = destination.map { "\(next)?\(FormURLEncoded.encode([("return", $0.text)]))" } ?? next
        // A return address that is too long for the state is left out. The sign-in then ends on the account page.
        let query = [("redirect", "true"), ("next", ReturnAddress.check(whole)?.text ?? next)]
        return bridge.providers.all.map { provider in
            let path = services.settings.bridge.prefix + BridgeRoutes.authorizePath(of: provider)
            let again = requiresReauthentication ? [("again", "true")] : []
            return ProviderButton(provider.configuration, "\(path)?\(FormURLEncoded.encode(query + again))")
        }
    }

    private func signedInAlready(
        _ visitor: SignedInBrowser, continuingTo destination: ReturnAddress?, for request: ServerRequest,
        status: HTTPStatus = .ok
    ) -> ServerResponse {
        let visit = SignedInRequest(request: request, visitor: visitor)
        let person = visitor.person
        return framed(
            "You are signed in",
            """
            <section class="card">
            <p>This browser is signed in as <strong>\(person.name ?? person.email)</strong> (\(person.email)).</p>
            <p class="actions">\(destination.map {
                "<a class=\"button\" href=\"\(link: $0.text)\">Continue</a>" as HTML
            })
            <a class="button other" href="\(link: prefix + PagePath.account)">To your account</a></p>
            <p class="quiet">To sign in as another person, sign out first.</p>
            </section>
            """, for: visit, at: PagePath.signIn
        ).response(status: status)
    }
}
