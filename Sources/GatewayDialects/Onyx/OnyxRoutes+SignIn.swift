import Crypto
import Database
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import Primitives
import ServerMessages

extension OnyxRoutes {
    /// `POST /auth/mobile/login`: exchanges `username` and `password` in a form for a token. Never sets a cookie.
    ///
    /// Source: OX-1; docs/protocols/onyx.md, Sign-in with a password.
    package func login(_ request: ServerRequest) async throws -> ServerResponse {
        guard allowsPasswords else { return DefaultResponses.code(.forbidden, .passwordLoginDisabled) }
        guard let form = try? request.form() else { return DefaultResponses.invalid("body: A form is required.") }
        guard let email = form["username"], !email.isEmpty else {
            return DefaultResponses.invalid("body.username: Field required.")
        }
        guard let password = form["password"], !password.isEmpty else {
            return DefaultResponses.invalid("body.password: Field required.")
        }
        do {
            switch try await signIn.attempt(
                EmailAddress(normalizing: email), Secret(password), from: onyxOrigin(of: request), canChange: false,
                token: .renewable)
            {
            case .signedIn(let credential):
                metrics.signIn(.succeeded)
                return DefaultResponses.token(credential)
            case .refused:
                metrics.signIn(.refused)
                return DefaultResponses.code(.badRequest, .badCredentials)
            case .passwordChangeRequired:
                metrics.signIn(.refused)
                return DefaultResponses.business(
                    .forbidden, code: .unauthorized, detail: services.passwordChangeSentence)
            case .limited(let wait):
                metrics.signIn(.limited)
                return DefaultResponses.tooMany(wait)
            }
        } catch let error as GatewayError where error.code == .busy {
            metrics.signIn(.busy)
            throw error
        }
    }

    /// `POST /auth/mobile/refresh`: extends the session and returns the token from the issuer.
    ///
    /// A browser refreshes its session with the cookie. The response is 204 with a new cookie. A token without a live
    /// session counts for the address.
    ///
    /// An internal error gives 400, as in Onyx, so that clients do not sign out because of it.
    ///
    /// Source: OX-1; docs/protocols/onyx.md, Refresh.
    package func refresh(_ request: ServerRequest) async -> ServerResponse {
        let tokens = tokens(ofChange: request)
        do {
            for token in [tokens.first, tokens.second] {
                guard let token else { continue }
                var caller = issuer.session(ofRefreshToken: token).map(RequestCaller.session)
                if caller == nil, case .valid(let session) = try await issuer.authenticate(token) {
                    caller = .person(session.person.id)
                }
                if let caller, let wait = services.limits.consume(.general, caller) {
                    return DefaultResponses.tooMany(wait)
                }
                guard let credential = try await issuer.refresh(token) else { continue }
                metrics.refresh(.succeeded)
                return token == tokens.cookie ? renewed(credential) : DefaultResponses.token(credential)
            }
            guard tokens.first != nil else { return DefaultResponses.unauthorized }
            metrics.refresh(.refused)
            return limited(request) ?? DefaultResponses.unauthorized
        } catch {
            _ = failure(error, request)
            return DefaultResponses.detail(.badRequest, "Token refresh failed: the server cannot extend sessions now.")
        }
    }

    /// `POST /auth/mobile/logout`: ends the session. The response is 204 without a body.
    ///
    /// Source: OX-1, OX-13, TT-11; docs/protocols/onyx.md, Sign-out.
    func logout(_ request: ServerRequest) async throws -> ServerResponse {
        let tokens = tokens(ofChange: request)
        for token in [tokens.first, tokens.second] {
            guard let token, let ended = try await issuer.end(token) else { continue }
            let client = onyxOrigin(of: request)
            audit.record(
                AuditEvent(
                    .signedOut, person: ended.person, session: ended.session, address: client.address.description,
                    request: request.id, device: client.device))
            return deletingCookie(tokens, ServerResponse.noContent)
        }
        return deletingCookie(tokens, DefaultResponses.unauthorized)
    }

    /// Returns the tokens of a request that changes something. The cookie counts only if the browser states that a page
    /// of this server made the request.
    private func tokens(ofChange request: ServerRequest) -> RequestTokens {
        RequestTokens(request, cookie: cookie?.comesFromOwnPage(request) == true ? cookie : nil)
    }

    /// Returns the response to a browser whose session was extended. The token stays in the cookie, where scripts
    /// cannot read it.
    private func renewed(_ credential: SessionCredential) -> ServerResponse {
        var response = ServerResponse.noContent
        if let cookie { response.headers["Set-Cookie"] = cookie.set(credential.token) }
        return response
    }

    /// Returns the response with a field that deletes the browser's cookie, if the request had one.
    private func deletingCookie(_ tokens: RequestTokens, _ response: ServerResponse) -> ServerResponse {
        guard tokens.cookie != nil, let cookie else { return response }
        var response = response
        response.headers["Set-Cookie"] = cookie.end
        return response
    }
}
