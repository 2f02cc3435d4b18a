import HTTPServer
import Wire

extension TimeTrackerRoutes {
    func callbackPath(of provider: BridgeProvider) -> String {
        Self.callbackPath(of: provider.configuration, among: services.settings.providers.count)
    }

    /// Whether a sign-in may still end at its destination. This dialect has its own list of redirects.
    func mayEnd(at destination: BridgeState.Destination) -> Bool {
        guard case .app(let redirect, _, _) = destination else { return true }
        return redirects.allows(redirect)
    }

    func refusal(of callback: InvalidCallback) -> ServerResponse {
        TimeTrackerAnswers.refusal(.badRequest, "Invalid session")
    }

    func refusal(of failure: BridgeFailure) -> ServerResponse {
        switch failure.outcome {
        case .denied: TimeTrackerAnswers.refusal(.badRequest, failure.sentence)
        case .refused: TimeTrackerAnswers.refusal(.forbidden, failure.sentence)
        case .unavailable:
            TimeTrackerAnswers.refusal(.serviceUnavailable, failure.sentence).retry(after: .seconds(10))
        case .begun, .completed, .failed:
            TimeTrackerAnswers.refusal(HTTPStatus(rawValue: 502), failure.sentence)
        }
    }

    func beginning(at provider: BridgeProvider, continuingAt next: String) -> String {
        "/auth/login?\(FormURLEncoded.encode([("next", next)]))"
    }
}
