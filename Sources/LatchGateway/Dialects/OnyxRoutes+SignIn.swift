import Crypto
import Database
import HTTPServer
import Wire

extension OnyxRoutes {
    /// `POST /auth/mobile/login`: a form of `username` and `password` for a token. No cookie is ever set.
    ///
    /// Source: OX-1; contract of Onyx, endpoints.
    func login(_ request: ServerRequest) async throws -> ServerResponse {
        guard let form = try? request.form() else { return OnyxAnswers.invalid("body: A form is required.") }
        guard let email = form["username"], !email.isEmpty else {
            return OnyxAnswers.invalid("body.username: Field required.")
        }
        guard let password = form["password"], !password.isEmpty else {
            return OnyxAnswers.invalid("body.password: Field required.")
        }
        do {
            switch try await signIn.attempt(
                EmailAddress(normalizing: email), Secret(password), from: client(of: request))
            {
            case .signedIn(let credential):
                metrics.signIn(.succeeded)
                return token(credential)
            case .refused:
                metrics.signIn(.refused)
                return OnyxAnswers.code(.badRequest, .badCredentials)
            case .limited(let wait):
                metrics.signIn(.limited)
                return OnyxAnswers.tooMany(wait)
            }
        } catch let error as GatewayError where error.code == .busy {
            metrics.signIn(.busy)
            throw error
        }
    }

    /// `POST /auth/mobile/refresh`: the session lives on; the token is whatever the issuer gives.
    ///
    /// An error inside is the contract's own 400, which is no reason for a client to sign out.
    ///
    /// Source: OX-1; contract of Onyx, endpoints.
    func refresh(_ request: ServerRequest) async -> ServerResponse {
        guard let token = BearerToken.of(request) else { return OnyxAnswers.unauthorized }
        do {
            guard let credential = try await issuer.refresh(token) else {
                metrics.refresh(.refused)
                return OnyxAnswers.unauthorized
            }
            metrics.refresh(.succeeded)
            return self.token(credential)
        } catch {
            _ = failure(error, request)
            return OnyxAnswers.detail(.badRequest, "Token refresh failed: the server cannot extend sessions now.")
        }
    }

    /// `POST /auth/mobile/logout`: ends the session; 204 without a body.
    ///
    /// Source: OX-1, OX-13, TT-11; contract of Onyx, endpoints.
    func logout(_ request: ServerRequest) async throws -> ServerResponse {
        guard let token = BearerToken.of(request), let ended = try await issuer.end(token) else {
            return OnyxAnswers.unauthorized
        }
        let client = client(of: request)
        audit.record(
            AuditEvent(
                .signedOut, person: ended.person, session: ended.session, address: client.address.description,
                request: request.id, device: client.device))
        return OnyxAnswers.done
    }

    private func token(_ credential: SessionCredential) -> ServerResponse {
        var message = OnyxTokenResponse(accessToken: credential.token.reveal())
        message.refreshToken = credential.refreshToken?.reveal()
        message.expiresIn = credential.expiresIn.map { Int($0.seconds) }
        return OnyxAnswers.message(message)
    }
}
