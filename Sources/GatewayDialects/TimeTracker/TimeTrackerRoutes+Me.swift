import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
package import HTTPServer
import JOSE
import Primitives
import ServerMessages

extension TimeTrackerRoutes {
    /// `GET /auth/me`: returns who is signed in. It does not wait for anything when the session is in memory. It does
    /// not check signatures, because the session alone decides.
    ///
    /// Source: TT-6, TT-8; docs/protocols/time-tracker.md, Current user and Rejected tokens.
    func me(_ request: ServerRequest) -> Router.FirstStep {
        let tokens = RequestTokens(request, cookie: services.cookie)
        guard let first = tokens.first else { return .response(TimeTrackerResponses.unauthorized()) }
        switch services.issuer.findSigned(first) {
        case .found(let authentication) where tokens.second == nil || authentication.isValid:
            return .response(me(authentication, of: first, for: request))
        case .found:
            return .wait { await response(to: request) { try await me(tokens.second, for: request) } }
        case .elsewhere(let read):
            return .wait {
                await response(to: request) {
                    let authentication = try await read()
                    guard tokens.second != nil, !authentication.isValid else {
                        return me(authentication, of: first, for: request)
                    }
                    return try await me(tokens.second, for: request)
                }
            }
        }
    }

    private func me(_ token: String?, for request: ServerRequest) async throws -> ServerResponse {
        guard let token else { return TimeTrackerResponses.unauthorized() }
        return me(try await services.issuer.authenticateSigned(token), of: token, for: request)
    }

    private func me(
        _ authentication: Authentication, of token: String, for request: ServerRequest
    ) -> ServerResponse {
        switch authentication {
        case .valid(let session):
            ServerResponse(status: .ok, headers: .privateJSON, body: Self.body(session.person))
        case .passwordChangeRequired: TimeTrackerResponses.refusal(.forbidden, services.passwordChangeSentence)
        case .expired: TimeTrackerResponses.unauthorized("jwt expired")
        case .terminated: TimeTrackerResponses.unauthorized("session ended")
        case .proofRequired: TimeTrackerResponses.unauthorized("proof of possession required")
        case .unrecognized: TimeTrackerResponses.unauthorized(reason(token, request))
        }
    }

    /// Returns why a token without a session is refused, in the words of this server family. The signature is not
    /// checked, because it would not change the response. After too many unknown tokens from an address its tokens are
    /// not parsed.
    private func reason(_ token: String, _ request: ServerRequest) -> String {
        if token.hasPrefix("sk_") { return "invalid API key" }
        guard services.unknownCallers.wait(of: request) == nil else { return "invalid token" }
        services.unknownCallers.count(request)
        guard let signature = try? JSONWebSignature(parsing: token) else { return "jwt malformed" }
        return signature.header.algorithm == nil ? "invalid algorithm" : "invalid token"
    }

    /// Returns the body of `/auth/me`, composed of encoded parts.
    private static func body(_ person: Person) -> [UInt8] {
        var body: [UInt8] = []
        body.reserveCapacity(256)
        JSONText.append(json: #"{"id":""#, to: &body)
        JSONText.append(id: person.id, to: &body)
        JSONText.append(json: #"","username":"#, to: &body)
        JSONText.append(person.username, to: &body)
        JSONText.append(json: #","fullName":"#, to: &body)
        if let name = person.name {
            JSONText.append(name, to: &body)
        } else {
            JSONText.append(json: "null", to: &body)
        }
        JSONText.append(json: #","email":"#, to: &body)
        JSONText.append(person.email, to: &body)
        JSONText.append(json: person.provedAddress == nil ? unproved : proved, to: &body)
        return body
    }

    private static let proved: StaticString = #","email_verified":true}"#
    private static let unproved: StaticString = #","email_verified":false}"#

    /// Returns the person for the response of the token endpoint. The address is sent even if it is not verified;
    /// `email_verified` says whether it is.
    static func user(_ person: Person) -> TimeTrackerUser {
        TimeTrackerUser(
            id: person.id.uuidString.lowercased(), username: person.username, fullName: person.name,
            email: person.email,
            isEmailVerified: person.provedAddress != nil)
    }

    /// `POST /auth/logout`: ends the session of the bearer token, and the browser's session if a page of this server
    /// makes the request. The response does not depend on whether there was a session. Only a database error gives a
    /// different one.
    ///
    /// Source: TT-12; docs/protocols/time-tracker.md, Sign-out.
    func logout(_ request: ServerRequest) async -> ServerResponse {
        let cookie = services.cookie.flatMap { $0.comesFromOwnPage(request) ? $0 : nil }
        let tokens = RequestTokens(request, cookie: cookie)
        do {
            for token in [tokens.cookie, tokens.bearer] {
                guard let token, let ended = try await services.issuer.end(token) else { continue }
                let client = origin(of: request)
                services.audit.record(
                    AuditEvent(
                        .signedOut, person: ended.person, session: ended.session, address: client.address.description,
                        request: request.id, device: client.device))
            }
        } catch {
            services.log.error("A sign-out failed.", ["error": .description(of: error), "request": .text(request.id)])
            return TimeTrackerResponses.refusal(.serviceUnavailable, "Failed to logout").retry(after: .seconds(1))
        }
        var response = ServerResponse.privateJSON(["message": "Logged out successfully"] as JSONValue)
        if tokens.cookie != nil, let cookie { response.headers["Set-Cookie"] = cookie.end }
        return response
    }

    /// Returns the public keys that verify tokens, as a JSON web key set.
    ///
    /// Source: RFC 7517 §5 and §8.5.1 for the type.
    package func keys() async throws -> ServerResponse {
        Self.keys(try await services.signingKeys.published())
    }

    /// The same as ``keys()`` when the keys are in memory. Returns nil when they are not.
    func cachedKeys() -> ServerResponse? {
        services.signingKeys.publishedIfCached().map(Self.keys)
    }

    private static func keys(_ body: [UInt8]) -> ServerResponse {
        let seconds = Int(SigningKeySettings.memory.seconds)
        return ServerResponse(
            status: .ok,
            headers: ["Content-Type": "application/jwk-set+json", "Cache-Control": "public, max-age=\(seconds)"],
            body: body)
    }
}
