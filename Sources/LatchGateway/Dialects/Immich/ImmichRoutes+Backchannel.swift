import Crypto
import HTTPServer
import OpenIDConnect
import Wire

extension ImmichRoutes {
    /// `POST /oauth/backchannel-logout`: an identity provider says that somebody signed out there. The person's sessions end
    /// here, whichever dialect they are of; where it names a session there and no person, those that were begun with that.
    ///
    /// A token that was done as told is answered alike when it comes again, and ends nothing. While it cannot be told
    /// whether a token is the provider's, the answer is 503: after a 400 no provider tries again. What is refused counts
    /// against its address, whose next token is then not even read; the provider's word never does, however many people it
    /// signs out at once.
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
        var refusals: [OpenIDConnectError] = []
        // Two providers of the configuration may be two clients of one issuer: the audience tells them apart.
        for provider in bridge.providers.all where provider.configuration.settings.issuer == issuer {
            do {
                try await end(by: try await provider.party.logoutToken(token), at: provider)
                return ServerResponse(status: .ok, headers: ["Cache-Control": "no-store"])
            } catch let error as OpenIDConnectError {
                refusals.append(error)
            }
        }
        throw refusal(refusals, request)
    }

    private func refusal(_ errors: [OpenIDConnectError], _ request: ServerRequest) -> ImmichRefusal {
        // What is not the token's fault is the provider's, or the way to it.
        let undecided = errors.first { $0.code != .badToken }
        let words = (undecided ?? errors.last)?.message ?? "unknown issuer"
        services.log.warning(
            "A sign-out of an identity provider was refused.",
            ["error": .text(words), "request": .text(request.id)])
        guard undecided == nil else {
            services.unknownCallers.count(request)
            return ImmichRefusal(later: .seconds(5), "The identity provider cannot be reached to check its token.")
        }
        return ImmichRefusal(.badRequest, "Error backchannel logout: token validation failed")
    }

    private func end(by token: LogoutToken, at provider: BridgeProvider) async throws {
        guard !signOuts.contains(token, of: provider.id) else { return }
        if let subject = token.subject {
            let person = try await services.people.find(subject: subject, of: token.issuer, at: provider.id)
            if let person { try await services.sessions.revokeAll(of: person.id) }
        } else if let session = token.sessionID {
            _ = try await services.sessions.end(begunWith: session, at: provider.id)
        }
        // Only now: what failed is to be tried again.
        signOuts.insert(token, of: provider.id)
    }
}
