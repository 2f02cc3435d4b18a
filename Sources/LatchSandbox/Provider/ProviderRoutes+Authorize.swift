import Crypto
import FoundationEssentials
import GatewayHTTP
import HTTPMessages
import HTTPServer
import LatchGateway
import Primitives

/// The authorization endpoint.
///
/// Source: OpenID Connect Core §3.1.2.
extension ProviderRoutes {
    /// Shows the sign-in page, or responds immediately when the request has the prompt `none`.
    func authorize(_ request: ServerRequest) -> ServerResponse {
        respond(request.rawQuery ?? "") { query, responder in
            let session = usableSession(request, query)
            if query.prompts.contains("none") {
                return respondWithoutPrompt(to: query, in: session, responder: responder)
            }
            return page(query, request, target: request.rawQuery ?? "").response()
        }
    }

    /// Handles a submitted sign-in form, with the authorization request in the query. Without the field `action`, the
    /// body is the authorization request.
    func authorizePosted(_ request: ServerRequest) -> ServerResponse {
        let fields: FormFields
        do {
            fields = try request.form()
        } catch {
            return ErrorPage.page(error.message).response(status: error.status)
        }
        guard fields["action"] != nil else {
            let target = FormURLEncoded.encode(fields.map { ($0.name, $0.value) })
            return respond(target) { query, responder in
                let session = usableSession(request, query)
                if query.prompts.contains("none") {
                    return respondWithoutPrompt(to: query, in: session, responder: responder)
                }
                return page(query, request, target: target).response()
            }
        }
        let target = request.rawQuery ?? ""
        return respond(target) { query, responder in
            guard let form = SignInForm(fields, algorithms: keys.algorithms) else {
                return ErrorPage.page("The form contains an invalid choice.").response(status: .badRequest)
            }
            return signIn(with: form, for: query, request: request, target: target, responder: responder)
        }
    }

    private func respond(
        _ target: String, _ body: (AuthorizationQuery, AuthorizationResponder) -> ServerResponse
    ) -> ServerResponse {
        do {
            let fields = (try? FormURLEncoded.decode(target)) ?? FormFields()
            let destination = try AuthorizationQuery.returnDestination(fields, client: grants.client)
            let responder = AuthorizationResponder(destination: destination, issuer: issuer)
            do {
                return body(try AuthorizationQuery(fields, to: destination), responder)
            } catch {
                return responder.refusal(error)
            }
        } catch {
            return ErrorPage.page(error.sentence).response(status: .badRequest)
        }
    }

    private func respondWithoutPrompt(
        to query: AuthorizationQuery, in session: ProviderSession?, responder: AuthorizationResponder
    ) -> ServerResponse {
        guard let session else { return responder.refusal("login_required", "No person is signed in.") }
        if let hint = query.loginHint, hint.lowercasedASCII != session.person.email {
            return responder.refusal("login_required", "Another person is signed in.")
        }
        guard let consent = session.consents[query.client.id], consent.isSuperset(of: query.scopes) else {
            return responder.refusal("consent_required", "The person has not consented to this client.")
        }
        let choices = TestChoices(algorithm: keys.algorithms[0])
        let grant = grant(for: query, in: session, scopes: query.scopes, choices: choices)
        return responder.code(grants.issueCode(for: grant))
    }

    private func signIn(
        with form: SignInForm, for query: AuthorizationQuery, request: ServerRequest, target: String,
        responder: AuthorizationResponder
    ) -> ServerResponse {
        switch (form.action, form.choices.fault) {
        case (.deny, _): return responder.refusal("access_denied", "The person denied the request.")
        case (.allow, .serverError): return responder.refusal("server_error", "The provider simulates an error.")
        case (.allow, .unavailable):
            return responder.refusal("temporarily_unavailable", "The provider simulates an overload.")
        case (.allow, _): break
        }
        guard let (session, name) = session(for: form, query, request) else {
            var page = page(query, request, target: target)
            page.email = form.email
            page.error = "The e-mail address or the password is wrong."
            return page.response(status: .forbidden)
        }
        let scopes = query.scopes.filter { $0 == "openid" || form.shared?.contains($0) ?? true }
        grants.consent(name, to: query.client.id, scopes: Set(scopes))
        var responder = responder
        responder.fault = form.choices.fault
        let grant = grant(for: query, in: session, scopes: scopes, choices: form.choices)
        var response = responder.code(grants.issueCode(for: grant))
        let age = Int(configuration.sessionLifetime.seconds)
        response.headers.append(
            "Set-Cookie", "\(Self.cookie)=\(name); Path=\(Path.authorize); Max-Age=\(age); HttpOnly; SameSite=Lax")
        return response
    }

    /// Returns the session of the person that the form names: the session of the browser, or a new one if the password
    /// is correct.
    private func session(
        for form: SignInForm, _ query: AuthorizationQuery, _ request: ServerRequest
    ) -> (ProviderSession, String)? {
        if form.password.isEmpty, let name = cookie(request), let session = usableSession(request, query),
            session.person.email == form.email
        {
            return (session, name)
        }
        guard let person = configuration.people.first(where: { $0.email == form.email }),
            Secret(person.password) == Secret(form.password)
        else { return nil }
        let session = ProviderSession(
            id: Base64URL.encode(SecureRandom.bytes(12)), person: person, authenticated: configuration.now())
        return (session, grants.beginSession(session))
    }

    /// Returns the session of the browser, unless the request requires the password again.
    private func usableSession(_ request: ServerRequest, _ query: AuthorizationQuery) -> ProviderSession? {
        guard !query.prompts.contains("login"), let session = cookie(request).flatMap(grants.session) else {
            return nil
        }
        if let age = query.maximumAge, configuration.now() > session.authenticated + TimeInterval(age) { return nil }
        return session
    }

    private func page(_ query: AuthorizationQuery, _ request: ServerRequest, target: String) -> SignInPage {
        SignInPage(
            query: query, people: configuration.people, session: usableSession(request, query),
            algorithms: keys.algorithms, target: Path.authorize + "?" + target)
    }

    private func grant(
        for query: AuthorizationQuery, in session: ProviderSession, scopes: [String], choices: TestChoices
    ) -> Grant {
        Grant(
            person: session.person, clientID: query.client.id, redirect: query.redirect, scopes: scopes,
            nonce: query.nonce, challenge: query.challenge, choices: choices, session: session)
    }

    private static let cookie = "development_provider"

    private func cookie(_ request: ServerRequest) -> String? {
        for field in request.headers.values("Cookie") {
            for pair in field.split(separator: ";") {
                let halves = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if halves.count == 2, halves[0] == Self.cookie { return String(halves[1]) }
            }
        }
        return nil
    }
}

extension SignInPage {
    func response(status: HTTPStatus = .ok) -> ServerResponse { page.response(status: status) }
}
