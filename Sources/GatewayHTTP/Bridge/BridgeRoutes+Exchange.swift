import GatewayCore
import HTTPMessages
package import HTTPServer
import ServerMessages
import SignInBridge

extension BridgeRoutes {
    /// `POST /auth/mobile/sso/exchange`: exchanges a one-time code and its verifier for a token. The response is the
    /// same for every invalid code.
    ///
    /// Source: OX-5; docs/protocols/onyx.md, Code exchange and One-time codes.
    package func exchange(_ request: ServerRequest) async throws -> ServerResponse {
        guard let body = try? request.json(OnyxExchange.self) else {
            return DefaultResponses.invalid("body: An object with 'code' and 'code_verifier' is required.")
        }
        let session = try await bridge.redeem(
            OneTimeCode(body.code), verifier: body.codeVerifier, client: onyxOrigin(of: request),
            token: .renewable)
        return session.map(DefaultResponses.token) ?? Self.unknownCode
    }

    private static let unknownCode = DefaultResponses.business(
        .unauthorized, code: .unauthenticated, detail: "Invalid or expired code")
}
