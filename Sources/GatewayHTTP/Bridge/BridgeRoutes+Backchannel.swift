import HTTPMessages
import HTTPServer

extension BridgeRoutes {
    /// The path of back-channel logout, below the prefix.
    static let backchannelPath = "/auth/oauth/backchannel-logout"

    /// `POST /auth/oauth/backchannel-logout`: receives a sign-out from an identity provider. The route exists when a
    /// provider is configured, and covers the sessions of every dialect.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0 §2.5 and §2.8.
    func backchannelLogout(_ request: ServerRequest) async throws -> ServerResponse {
        switch try await BackchannelLogout(services: services, bridge: bridge).receive(request) {
        case .done: ServerResponse.emptyOK
        case .noToken: invalidLogout("A form with exactly one logout_token is required.", request)
        case .refused: invalidLogout("This server does not accept the logout_token.", request)
        case .unavailable:
            DefaultResponses.detail(
                .serviceUnavailable, "The server cannot reach the identity provider to check the token."
            ).retry(after: .seconds(5))
        }
    }

    private func invalidLogout(_ description: String, _ request: ServerRequest) -> ServerResponse {
        services.unknownCallers.count(request)
        return ServerResponse(
            status: .badRequest, headers: .privateJSON,
            body: JSON.encode(["error": "invalid_request", "error_description": description]))
    }
}
