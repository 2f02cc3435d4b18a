import Crypto
import FoundationEssentials
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import JOSE
import OAuth
import OpenIDConnect
import Primitives
import ServerMessages
import SignInBridge

extension TimeTrackerRoutes {
    /// `POST /auth/token`: exchanges a code and a state for a token. The PKCE verifier is the server's own.
    ///
    /// The data stored for the state is removed before it is checked, so that a caller cannot guess a second time.
    ///
    /// Source: TT-4, TT-13; docs/protocols/time-tracker.md, Token request and Sign-in state.
    func token(_ request: ServerRequest, _ bridge: Bridge) async throws -> ServerResponse {
        let asked: TimeTrackerTokenRequest
        switch Self.readTokenRequest(request) {
        case .failure(let refusal): return refusal.response
        case .success(let read): asked = read
        }
        guard let issuer = issuerAddress(for: request) else { return unknownAddress(request) }
        guard let start = try await bridge.consumeStart(of: asked.state) else {
            return TimeTrackerResponses.unknownStart
        }
        guard constantTimeEqual(Array(start.redirect.utf8), Array(asked.redirectURI.utf8)) else {
            return TimeTrackerResponses.refusal(
                .badRequest, "The redirect_uri differs from the one that started the login. Initiate login again.")
        }
        let shape = try await shape(issuer)
        let client = origin(of: request)
        switch start.route {
        case .gateway:
            let verifier = start.verifier.secret.reveal()
            let session = try await bridge.redeem(
                OneTimeCode(asked.code), verifier: verifier, client: client, token: shape)
            guard let session else { return TimeTrackerResponses.unknownStart }
            return try await response(session)
        case .app:
            do {
                return try await response(
                    bridge.finishInApp(start, code: asked.code, issuer: asked.issuer, client: client, token: shape))
            } catch let error as OpenIDConnectError {
                return Self.response(error)
            } catch  where BridgeFailure(error).outcome == .refused {
                return TimeTrackerResponses.refusal(.forbidden, BridgeFailure(error).sentence)
            }
        }
    }

    /// The response to a request that is refused before its state is checked.
    private struct Refusal: Error {
        package let response: ServerResponse
    }

    /// Reads the body as JSON or as a form. A body of another media type is not read, so all parameters count as
    /// missing.
    private static func readTokenRequest(_ request: ServerRequest) -> Result<TimeTrackerTokenRequest, Refusal> {
        do throws(TimeTrackerTokenRequest.Missing) {
            if request.mediaType == FormURLEncoded.mediaType {
                return .success(try TimeTrackerTokenRequest((try? request.form()) ?? FormFields()))
            }
            guard let media = request.mediaType, media == JSON.mediaType || media.hasSuffix("+json") else {
                return .success(try TimeTrackerTokenRequest(FormFields()))
            }
            guard let body = try? JSONValue(parsing: request.body, repairsText: false) else {
                return .failure(Refusal(response: TimeTrackerResponses.refusal(.badRequest, "The body is not JSON.")))
            }
            return .success(try TimeTrackerTokenRequest(body))
        } catch {
            return .failure(Refusal(response: TimeTrackerResponses.missing(error.names)))
        }
    }

    /// Returns the response with a token.
    private func response(_ credential: SessionCredential) async throws -> ServerResponse {
        let token = credential.token.reveal()
        let session: Session
        switch try await services.issuer.authenticateSigned(token) {
        // The proof of the sign-in cannot name the token that the sign-in made.
        case .valid(let found), .proofRequired(let found): session = found
        default: return TimeTrackerResponses.unauthorized("the session has already ended")
        }
        var message = TimeTrackerTokenResponse(
            accessToken: token, expiresIn: credential.expiresIn.map { Int($0.seconds) },
            user: Self.user(session.person))
        if credential.keyThumbprint != nil { message.tokenType = SessionCredential.boundType }
        return ServerResponse.privateJSON(message)
    }

    /// Returns the response to a failure at the provider. It never contains the provider's own error message.
    private static func response(_ error: OpenIDConnectError) -> ServerResponse {
        switch error.code {
        case .unreachable:
            return TimeTrackerResponses.refusal(.serviceUnavailable, BridgeFailure.unavailable.sentence).retry(
                after: .seconds(10))
        case .refused, .denied:
            return TimeTrackerResponses.refusal(
                .badRequest, "The identity provider did not accept the code. Initiate login again.")
        default:
            return TimeTrackerResponses.refusal(HTTPStatus(rawValue: 502), BridgeFailure.failed.sentence)
        }
    }

    /// Returns the issuer of tokens, which is an address of this server, or nil when the server does not know its
    /// address.
    package func issuerAddress(for request: ServerRequest) -> String? {
        services.address.base(of: request).map { $0 + prefix }
    }

    /// Returns the format of a signed token that other servers can verify with the published keys.
    func shape(_ issuer: String) async throws -> TokenFormat {
        let lifetime = min(settings.tokenLifetime, services.settings.sessions.maximum)
        let key = try await services.signingKeys.signer(until: services.now() + lifetime)
        let claims = AccessTokenClaims(
            issuer: issuer, audience: settings.audience ?? issuer, clientID: Self.clientID)
        return .custom(lifetime: lifetime) { session in
            Secret(try key.sign(payload: claims.claims(of: session).encoded(), type: AccessTokenClaims.type))
        }
    }

    /// The client id of all apps of this family. They have no secret.
    package static let clientID = "timetracker"
}
