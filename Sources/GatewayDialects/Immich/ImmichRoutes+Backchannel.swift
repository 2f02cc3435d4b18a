import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension ImmichRoutes {
    /// `POST /oauth/backchannel-logout`: receives a back-channel logout at Immich's own path. It does the same as
    /// ``BridgeRoutes/backchannelLogout(_:)``.
    ///
    /// Source: docs/protocols/immich.md, Sign-in through a provider.
    func endByProvider(_ request: ServerRequest) async throws -> ServerResponse {
        switch try await BackchannelLogout(services: services, bridge: try requiredBridge()).receive(request) {
        case .done: return ServerResponse.emptyOK
        case .noToken:
            await services.unknownCallers.countSignedIn(request)
            throw ImmichRefusal([
                .init(path: ["logout_token"], message: "Invalid input: expected string", code: "invalid_type")
            ])
        case .refused:
            await services.unknownCallers.countSignedIn(request)
            throw ImmichRefusal(.badRequest, "Error backchannel logout: token validation failed")
        case .unavailable:
            throw ImmichRefusal(later: .seconds(5), "The server cannot reach the identity provider to check the token.")
        }
    }
}
