import Crypto
import HTTPServer
import OpenIDConnect
import Wire

/// Identity providers say here that somebody signed out there; see ``SessionAdministration/signOut(by:at:)`` for what ends.
///
/// While it cannot be told whether a token is the provider's, the answer must be one that has the provider try again: after a
/// 400 none does. What is refused counts against its address; the provider's word never does, however many people it signs out
/// at once.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8.
struct BackchannelLogout: Sendable {
    /// What became of a request.
    enum Outcome: Sendable {
        /// It was done, now or before: 200.
        case done
        /// There is not exactly one token: 400.
        case noToken
        /// The token is no provider's, or says nothing that can be done: 400.
        case refused
        /// The provider cannot be reached to check its token: 503.
        case unavailable
    }

    let services: GatewayServices
    let bridge: Bridge

    /// Reads the token of a request and does what it says.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    func receive(_ request: ServerRequest) async throws -> Outcome {
        let form = (try? request.form()) ?? FormFields()
        guard let text = form["logout_token"], form.values("logout_token").count == 1 else { return .noToken }
        let token = Secret(text)
        let issuer = LogoutToken.unverifiedIssuer(of: token)
        var refusals: [OpenIDConnectError] = []
        // Two providers of the configuration may be two clients of one issuer: the audience tells them apart.
        for provider in bridge.providers.all where provider.configuration.settings.issuer == issuer {
            do {
                let token = try await provider.party.logoutToken(token)
                try await services.sessions.signOut(by: token, at: provider.id)
                return .done
            } catch let error as OpenIDConnectError {
                refusals.append(error)
            }
        }
        return refusal(refusals, request)
    }

    private func refusal(_ errors: [OpenIDConnectError], _ request: ServerRequest) -> Outcome {
        // What is not the token's fault is the provider's, or the way to it.
        let undecided = errors.first { $0.code != .badToken }
        services.log.warning(
            "A sign-out of an identity provider was refused.",
            [
                "error": .text((undecided ?? errors.last)?.message ?? "unknown issuer"),
                "request": .text(request.id),
            ])
        guard undecided != nil else { return .refused }
        services.unknownCallers.count(request)
        return .unavailable
    }
}
