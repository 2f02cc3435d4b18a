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
    package func mayEnd(at destination: BridgeState.Destination) -> Bool {
        guard case .app(let redirect, _, _) = destination else { return true }
        return redirects.allows(redirect)
    }

    package func refusal(of callback: InvalidCallback) -> ServerResponse {
        TimeTrackerAnswers.refusal(.badRequest, "Invalid session")
    }

    package func refusal(of failure: BridgeFailure) -> ServerResponse {
        switch failure.outcome {
        case .denied: TimeTrackerAnswers.refusal(.badRequest, failure.sentence)
        case .refused: TimeTrackerAnswers.refusal(.forbidden, failure.sentence)
        case .unavailable:
            TimeTrackerAnswers.refusal(.serviceUnavailable, failure.sentence).retry(after: .seconds(10))
        case .begun, .completed, .failed:
            TimeTrackerAnswers.refusal(HTTPStatus(rawValue: 502), failure.sentence)
        }
    }

    package func beginning(at provider: BridgeProvider, continuingAt next: String) -> String {
        "/auth/login?\(FormURLEncoded.encode([("next", next)]))"
    }
}
