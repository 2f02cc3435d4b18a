import GatewayConfiguration
import GatewayCore
package import GatewayHTTP
import HTTPMessages
package import HTTPServer
package import SignInBridge

extension TimeTrackerRoutes {
    package func callbackPath(of provider: BridgeProvider) -> String {
        Self.callbackPath(of: provider.configuration, among: services.settings.providers.count)
    }

    /// Whether a sign-in may still end at its destination. This dialect has its own list of redirects.
    package func canEnd(at returnTo: PendingAuthorization.ReturnTarget) -> Bool {
        guard case .app(let redirect, _, _) = returnTo else { return true }
        return redirects.allows(redirect)
    }

    package func refusal(of callback: InvalidCallback) -> ServerResponse {
        TimeTrackerResponses.refusal(.badRequest, "Invalid session")
    }

    package func refusal(of failure: BridgeFailure) -> ServerResponse {
        switch failure.outcome {
        case .denied: TimeTrackerResponses.refusal(.badRequest, failure.sentence)
        case .refused: TimeTrackerResponses.refusal(.forbidden, failure.sentence)
        case .unavailable:
            TimeTrackerResponses.refusal(.serviceUnavailable, failure.sentence).retry(after: .seconds(10))
        case .begun, .completed, .failed:
            TimeTrackerResponses.refusal(HTTPStatus(rawValue: 502), failure.sentence)
        }
    }

    package func startPath(at provider: BridgeProvider, continuingAt next: String) -> String {
        "/auth/login?\(FormURLEncoded.encode([("next", next)]))"
    }
}
