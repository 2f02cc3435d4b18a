import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import OpenIDConnect
import ServerMessages
import SignInBridge

extension ImmichRoutes {
    /// Adds the routes that sign in with a password, sign out, and check a token.
    func addSignIn(to router: inout Router) {
        routing.on(.post, "/auth/login", to: &router) { try await login($0) }
        routing.on(.post, "/auth/validateToken", to: &router) { request in
            _ = try await access.caller(of: request, mayChangePassword: true)
            return ServerResponse.privateJSON(ImmichTokenStatus(authStatus: true))
        }
        routing.on(.post, "/auth/logout", to: &router) { try await logout($0) }
        routing.on(.get, "/auth/status", to: &router) { try await status($0) }
    }

    /// `POST /auth/login`: signs in with a password. The response is 201 with the token in the body and in a cookie.
    ///
    /// Source: IM-5; docs/protocols/immich.md, Sign-in with a password.
    private func login(_ request: ServerRequest) async throws -> ServerResponse {
        guard services.settings.passwordsEnabled else {
            throw ImmichRefusal(.unauthorized, "Password login has been disabled")
        }
        var body = ImmichBody(request)
        let (email, password) = (body.email("email"), body.text("password", atLeast: 1))
        try body.check()
        let device = ImmichDevice(request)
        do {
            switch try await services.signIn.attempt(
                EmailAddress(normalizing: email), Secret(password), from: client(of: request, device.device))
            {
            case .signedIn(let credential):
                services.metrics.signIn(.succeeded)
                return try await signedIn(credential, by: .password, on: device, for: request)
            case .refused, .passwordChangeRequired:
                services.metrics.signIn(.refused)
                return ImmichResponses.failure(.unauthorized, "Incorrect email or password")
            case .limited(let wait):
                services.metrics.signIn(.limited)
                return ImmichResponses.tooMany(wait)
            }
        } catch let error as GatewayError where error.code == .busy {
            services.metrics.signIn(.busy)
            throw error
        }
    }

    /// Returns the response to a successful sign-in, with the three cookies.
    func signedIn(
        _ credential: SessionCredential, by method: ImmichCookies.SignInMethod, on device: ImmichDevice,
        for request: ServerRequest
    ) async throws -> ServerResponse {
        if let version = device.appVersion {
            try await services.sessions.record(appVersion: version, of: credential.session)
        }
        guard let person = try await services.people.find(id: credential.person) else {
            throw ImmichRefusal(.unauthorized, "Incorrect email or password")
        }
        let message = ImmichLoginResponse(
            accessToken: credential.token.reveal(), userId: person.id.uuidString.lowercased(),
            userEmail: person.email, name: person.name ?? "", isAdmin: person.isAdministrator,
            shouldChangePassword: person.mustChangePassword)
        var response = ServerResponse.privateJSON(message, status: .created)
        for cookie in cookies.begin(credential.token, method, for: request) {
            response.headers.append("Set-Cookie", cookie)
        }
        return response
    }

    /// `POST /auth/logout`: ends the session and deletes the client's cookies.
    ///
    /// Source: IM-11; docs/protocols/immich.md, Sign-out.
    private func logout(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request, mayChangePassword: true, change: nil)
        let provider =
            cookies.signInMethod(in: request) == .oauth
            ? try await services.sessions.provider(of: caller.session.id) : nil
        RequestActor.forget()
        if let ended = try await services.issuer.end(caller.token) {
            let client = client(of: request)
            services.audit.record(
                AuditEvent(
                    .signedOut, person: ended.person, session: ended.session, address: client.address.description,
                    request: request.id, device: client.device))
        }
        var response = ServerResponse.privateJSON(
            ImmichLogoutResponse(successful: true, redirectUri: await Self.afterwards(provider, services.bridge)))
        for cookie in cookies.end(for: request) { response.headers.append("Set-Cookie", cookie) }
        return response
    }

    /// Returns the address for the browser after a sign-out: the provider's sign-out, if it is known, otherwise the
    /// sign-in page.
    ///
    /// Source: docs/protocols/immich.md, Sign-out; OpenID Connect RP-Initiated Logout 1.0 §2.
    private static func afterwards(_ provider: String?, _ bridge: Bridge?) async -> String {
        let own = "/auth/login?autoLaunch=0"
        guard let provider = provider.flatMap({ bridge?.providers[$0] }),
            let endpoint = try? await provider.party.metadata().endSessionEndpoint
        else { return own }
        let query = FormURLEncoded.encode([("client_id", provider.configuration.settings.clientID)])
        return endpoint + (endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + query
    }

    /// `GET /auth/status`: returns whether the person has a password and a PIN, and whether the session is unlocked.
    ///
    /// Source: docs/protocols/immich.md, PIN and locked assets.
    private func status(_ request: ServerRequest) async throws -> ServerResponse {
        let caller = try await access.session(of: request, mayChangePassword: true)
        return ServerResponse.privateJSON(
            ImmichAuthStatus(
                pinCode: try await services.pins.isSet(caller.person.id),
                password: try await services.people.hasPassword(caller.person.id), isElevated: caller.isElevated,
                expiresAt: Timestamp.text(caller.session.expires, fraction: true),
                pinExpiresAt: caller.elevatedUntil.map { Timestamp.text($0, fraction: true) }))
    }
}
