import Crypto
import GatewayCore
import HTTPMessages
package import HTTPServer
import OpenIDConnect
package import SignInBridge

/// Receives back-channel logout requests of identity providers. ``SessionAdministration/signOut(by:at:remembering:)``
/// documents what they end.
///
/// When a token cannot be checked at the moment, the response must make the provider retry, which it does not after a
/// 400. Refused requests count against the address of the sender, also when it is signed in: providers have no session.
/// Valid requests never do, even if a provider signs many people out at once.
///
/// Source: OpenID Connect Back-Channel Logout 1.0 §2.5 to §2.8.
package struct BackchannelLogout: Sendable {
    /// The result of a request.
    package enum Outcome: Sendable {
        /// The sign-out is done, now or by an earlier request: 200.
        case done
        /// There is not exactly one token: 400.
        case noToken
        /// No configured provider issued the token, or it is not valid: 400.
        case refused
        /// The provider cannot be reached to check its token, or the address has sent too many that were refused: 503.
        case unavailable
    }

    package let services: GatewayServices
    package let bridge: Bridge

    /// Creates the receiver of logout tokens from the providers of a bridge.
    package init(services: GatewayServices, bridge: Bridge) {
        self.services = services
        self.bridge = bridge
    }

    /// Checks the logout token of a request and ends the sessions that it names.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError`.
    package func receive(_ request: ServerRequest) async throws -> Outcome {
        guard services.unknownCallers.wait(of: request) == nil else { return .unavailable }
        let form = (try? request.form()) ?? FormFields()
        guard let text = form["logout_token"], form.values("logout_token").count == 1 else { return .noToken }
        let token = Secret(text)
        // Only selects the providers that may verify the token. Nothing else is read before the token is verified.
        let issuer = LogoutToken.unverifiedIssuer(of: token)
        var refusals: [OpenIDConnectError] = []
        // Two configured providers may be two clients of one issuer: the audience distinguishes them.
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
        // The provider or the network causes every other error, so the token may still be valid.
        let undecided = errors.first { $0.code != .invalidToken }
        services.log.warning(
            "A sign-out by an identity provider was refused.",
            [
                "error": .text((undecided ?? errors.last)?.message ?? "unknown issuer"),
                "request": .text(request.id),
            ])
        guard undecided != nil else { return .refused }
        services.unknownCallers.count(request)
        return .unavailable
    }
}
