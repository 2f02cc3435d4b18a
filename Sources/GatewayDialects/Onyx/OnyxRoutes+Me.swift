import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import ServerMessages

extension OnyxRoutes {
    /// `GET /me`: returns who is signed in. The most frequent request: it does not wait for anything when the session
    /// is in memory.
    ///
    /// A caller that is not signed in gets 403, never 401. The reason tells whether the session has expired, was ended
    /// or is unknown. A token with a dot belongs to another kind of token and gets no reason.
    ///
    /// Source: OX-8; docs/protocols/onyx.md, Current user and Rejected sessions.
    func me(_ request: ServerRequest) -> Router.FirstStep {
        let tokens = RequestTokens(request, cookie: cookie)
        guard let first = tokens.first else { return .response(DefaultResponses.forbidden) }
        switch issuer.find(first) {
        case .found(let authentication) where tokens.second == nil || authentication.isValid:
            return .response(me(authentication, first))
        case .found(let authentication):
            return .wait { await response(to: request) { try await me(authentication, tokens, first) } }
        case .elsewhere(let read):
            return .wait { await response(to: request) { try await me(try await read(), tokens, first) } }
        }
    }

    private func me(
        _ authentication: Authentication, _ tokens: RequestTokens, _ first: String
    ) async throws -> ServerResponse {
        guard let second = tokens.second, !authentication.isValid else { return me(authentication, first) }
        let other = try await issuer.authenticate(second)
        // The reason for an ended session is more useful than the one for an unknown token.
        return other.isValid || authentication == .unrecognized ? me(other, second) : me(authentication, first)
    }

    private func me(_ authentication: Authentication, _ token: String) -> ServerResponse {
        switch authentication {
        case .valid(let session):
            return ServerResponse(status: .ok, headers: .privateJSON, body: OnyxMe.body(session))
        case .passwordChangeRequired:
            return DefaultResponses.business(
                .forbidden, code: .unauthorized, detail: services.passwordChangeSentence)
        case .expired:
            return DefaultResponses.business(
                .forbidden, code: .sessionExpired, detail: "Your session has expired. Please sign in again.")
        case .terminated:
            return DefaultResponses.business(
                .forbidden, code: .sessionTerminated, detail: "Your session was ended. Please sign in again.")
        case .proofRequired: return DefaultResponses.forbidden
        case .unrecognized where token.utf8.contains(UInt8(ascii: ".")):
            return DefaultResponses.forbidden
        case .unrecognized:
            return DefaultResponses.business(
                .forbidden, code: .sessionUnrecognized, detail: "Your session is unknown. Please sign in again.")
        }
    }
}

/// The body of `/me`, composed of encoded parts.
enum OnyxMe {
    /// Returns the body for a live session.
    static func body(_ session: Session) -> [UInt8] {
        let person = session.person
        var body: [UInt8] = []
        body.reserveCapacity(512 + person.email.utf8.count + (person.name?.utf8.count ?? 0))
        JSONText.append(json: #"{"id":""#, to: &body)
        JSONText.append(id: person.id, to: &body)
        JSONText.append(json: #"","email":"#, to: &body)
        JSONText.append(person.email, to: &body)
        JSONText.append(json: #","is_active":true,"is_superuser":"#, to: &body)
        JSONText.append(json: person.isAdministrator ? "true" : "false", to: &body)
        JSONText.append(json: #","is_verified":"#, to: &body)
        JSONText.append(json: person.isVerified ? "true" : "false", to: &body)
        JSONText.append(json: #","account_type":"STANDARD","preferences":{},"personalization":{"name":"#, to: &body)
        JSONText.append(person.name ?? "", to: &body)
        JSONText.append(json: #"},"token_expires_at":""#, to: &body)
        Timestamp.append(session.expires, to: &body)
        JSONText.append(json: rest, to: &body)
        return body
    }

    private static let rest: StaticString = """
        ","is_cloud_superuser":false,"team_name":null,"is_anonymous_user":false,"password_configured":true,\
        "tenant_info":null,"effective_permissions":[],"is_group_manager":false,"admin_capabilities":[]}
        """
}
