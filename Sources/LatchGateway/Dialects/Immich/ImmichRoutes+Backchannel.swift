import Crypto
import HTTPServer
import OpenIDConnect
import Wire

extension ImmichRoutes {
    /// `POST /oauth/backchannel-logout`: an identity provider says that somebody signed out there. The person's sessions end
    /// here, whichever dialect they are of; where it names a session there and no person, those that were begun with that.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8; contract of Immich, endpoints.
    func endByProvider(_ request: ServerRequest) async throws -> ServerResponse {
        let bridge = try requiredBridge()
        let form = (try? request.form()) ?? FormFields()
        guard let text = form["logout_token"], form.values("logout_token").count == 1 else {
            throw ImmichRefusal([
                .init(path: ["logout_token"], message: "Invalid input: expected string", code: "invalid_type")
            ])
        }
        let token = Secret(text)
        let issuer = LogoutToken.unverifiedIssuer(of: token)
        var refusal: (any Error)?
        // Two providers of the configuration may be two clients of one issuer: the audience tells them apart.
        for provider in bridge.providers.all where provider.configuration.settings.issuer == issuer {
            do {
                try await end(by: try await provider.party.logoutToken(token), at: provider)
                return ServerResponse(status: .ok, headers: ["Cache-Control": "no-store"])
            } catch let error as OpenIDConnectError {
                refusal = error
            }
        }
        services.log.warning(
            "A sign-out of an identity provider was refused.",
            ["error": refusal.map { .text("\($0)") } ?? .text("unknown issuer"), "request": .text(request.id)])
        throw ImmichRefusal(.badRequest, "Error backchannel logout: token validation failed")
    }

    private func end(by token: LogoutToken, at provider: BridgeProvider) async throws {
        if let subject = token.subject {
            let person = try await services.people.find(subject: subject, of: token.issuer, at: provider.id)
            guard let person else { return }
            try await services.sessions.revokeAll(of: person.id)
        } else if let session = token.sessionID {
            _ = try await services.sessions.end(begunWith: session, at: provider.id)
        }
    }
}
