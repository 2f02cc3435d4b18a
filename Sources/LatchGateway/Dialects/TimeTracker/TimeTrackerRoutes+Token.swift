import Crypto
import FoundationEssentials
import HTTPServer
import JOSE
import OAuth
import OpenIDConnect
import Primitives
import Wire

extension TimeTrackerRoutes {
    /// `POST /auth/token`: code and state for a token. The verifier is the server's own.
    ///
    /// What is kept under the state is taken first and looked at then: nothing is left to guess at.
    ///
    /// Source: TT-4, TT-13; contract of Time Tracker, (a) and b.1.
    func token(_ request: ServerRequest, _ bridge: Bridge) async throws -> ServerResponse {
        let asked: TimeTrackerTokenRequest
        switch Self.asked(request) {
        case .failure(let refusal): return refusal.response
        case .success(let read): asked = read
        }
        guard let issuer = issuerAddress(for: request) else { return unknownAddress(request) }
        guard let start = try await bridge.takeStart(of: asked.state) else { return TimeTrackerAnswers.unknownStart }
        guard constantTimeEqual(Array(start.redirect.utf8), Array(asked.redirectURI.utf8)) else {
            return TimeTrackerAnswers.refusal(
                .badRequest, "The redirect_uri is not the one that the login began with. Initiate login again.")
        }
        let shape = try await shape(issuer)
        let client = origin(of: request)
        switch start.way {
        case .gateway:
            let verifier = start.verifier.secret.reveal()
            let session = try await bridge.redeem(
                OneTimeCode(asked.code), verifier: verifier, client: client, token: shape)
            guard let session else { return TimeTrackerAnswers.unknownStart }
            return try await answer(session)
        case .app:
            do {
                return try await answer(
                    bridge.finishInApp(start, code: asked.code, issuer: asked.issuer, client: client, token: shape))
            } catch let error as OpenIDConnectError {
                return Self.answer(error)
            } catch  where BridgeFailure(error).outcome == .refused {
                return TimeTrackerAnswers.refusal(.forbidden, BridgeFailure(error).sentence)
            }
        }
    }

    /// Why a request was refused before its state was looked at.
    private struct Refusal: Error {
        let response: ServerResponse
    }

    /// Reads the body as JSON or as a form. Of another type nothing is read, and so everything is missing.
    private static func asked(_ request: ServerRequest) -> Result<TimeTrackerTokenRequest, Refusal> {
        do throws(TimeTrackerTokenRequest.Missing) {
            if request.mediaType == FormURLEncoded.mediaType {
                return .success(try TimeTrackerTokenRequest((try? request.form()) ?? FormFields()))
            }
            guard let media = request.mediaType, media == JSON.mediaType || media.hasSuffix("+json") else {
                return .success(try TimeTrackerTokenRequest(FormFields()))
            }
            guard let body = try? JSONValue(parsing: request.body) else {
                return .failure(Refusal(response: TimeTrackerAnswers.refusal(.badRequest, "The body is not JSON.")))
            }
            return .success(try TimeTrackerTokenRequest(body))
        } catch {
            return .failure(Refusal(response: TimeTrackerAnswers.missing(error.names)))
        }
    }

    /// The answer that holds a token.
    private func answer(_ credential: SessionCredential) async throws -> ServerResponse {
        let token = credential.token.reveal()
        guard case .valid(let session) = try await services.issuer.authenticate(token) else {
            return TimeTrackerAnswers.unauthorized("the session was ended meanwhile")
        }
        return ServerResponse.privateJSON(
            TimeTrackerTokenResponse(
                accessToken: token, expiresIn: credential.expiresIn.map { Int($0.seconds) },
                user: Self.user(session.person)))
    }

    /// The answer to what the provider did. Its own words go into no answer.
    private static func answer(_ error: OpenIDConnectError) -> ServerResponse {
        switch error.code {
        case .unreachable:
            return TimeTrackerAnswers.refusal(.serviceUnavailable, BridgeFailure.unavailable.sentence).retry(
                after: .seconds(10))
        case .refused, .denied:
            return TimeTrackerAnswers.refusal(
                .badRequest, "The identity provider did not accept the code. Initiate login again.")
        default:
            return TimeTrackerAnswers.refusal(HTTPStatus(rawValue: 502), BridgeFailure.failed.sentence)
        }
    }

    /// The address that tokens name as their issuer; nil when the server cannot know it.
    func issuerAddress(for request: ServerRequest) -> String? {
        services.address.base(of: request).map { $0 + prefix }
    }

    /// A token that other servers can check by the keys.
    private func shape(_ issuer: String) async throws -> TokenFormat {
        let lifetime = min(settings.tokenLifetime, services.settings.sessions.maximum)
        let key = try await services.signingKeys.signer(until: services.now() + lifetime)
        let claims = AccessTokenClaims(
            issuer: issuer, audience: settings.audience ?? issuer, clientID: Self.clientID)
        return .made(lifetime: lifetime) { session in
            Secret(try key.sign(payload: claims.claims(of: session).encoded(), type: AccessTokenClaims.type))
        }
    }

    /// Apps of this family are all one client, without a secret.
    static let clientID = "timetracker"
}
