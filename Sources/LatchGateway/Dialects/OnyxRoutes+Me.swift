import FoundationEssentials
import HTTPServer
import Wire

extension OnyxRoutes {
    /// `GET /me`: who is signed in. The hot path: with a session in memory nothing here waits.
    ///
    /// Who is not signed in gets 403, never 401; the reason tells a session that ran out, was ended, or is not known.
    /// A token with a dot is of another kind and gets no reason.
    ///
    /// Source: OX-8; contract of Onyx, `/me` fields and b.7.
    func me(_ request: ServerRequest) async throws -> ServerResponse {
        guard let token = BearerToken.of(request) else { return OnyxAnswers.forbidden }
        switch try await issuer.authenticate(token) {
        case .valid(let session):
            return ServerResponse(status: .ok, headers: OnyxAnswers.privateHeaders, body: OnyxMe.body(session))
        case .expired:
            return OnyxAnswers.business(.forbidden, .sessionExpired, "Your session has expired. Please sign in again.")
        case .terminated:
            return OnyxAnswers.business(.forbidden, .sessionTerminated, "Your session was ended. Please sign in again.")
        case .unrecognized where token.utf8.contains(UInt8(ascii: ".")):
            return OnyxAnswers.forbidden
        case .unrecognized:
            return OnyxAnswers.business(
                .forbidden, .sessionUnrecognized, "Your session is not known here. Please sign in again.")
        }
    }
}

/// The body of `/me`, put together from pieces that are bytes already.
enum OnyxMe {
    private static let id = Array(#"{"id":""#.utf8)
    private static let email = Array(#"","email":"#.utf8)
    private static let isSuperuser = Array(#","is_active":true,"is_superuser":"#.utf8)
    private static let isVerified = Array(#","is_verified":"#.utf8)
    private static let name = Array(
        #","account_type":"STANDARD","preferences":{},"personalization":{"name":"#.utf8)
    private static let expires = Array(#"},"token_expires_at":""#.utf8)
    private static let rest = Array(
        (#"","is_cloud_superuser":false,"team_name":null,"is_anonymous_user":false,"password_configured":true,"#
            + #""tenant_info":null,"effective_permissions":[],"is_group_manager":false,"admin_capabilities":[]}"#).utf8)
    private static let yes = Array("true".utf8)
    private static let no = Array("false".utf8)

    /// The body for a live session.
    static func body(_ session: Session) -> [UInt8] {
        let person = session.person
        var body: [UInt8] = []
        body.reserveCapacity(640)
        body += id
        appendID(person.id, to: &body)
        body += email
        JSONText.append(person.email, to: &body)
        body += isSuperuser
        body += person.isAdministrator ? yes : no
        body += isVerified
        body += person.isVerified ? yes : no
        body += name
        JSONText.append(person.name ?? "", to: &body)
        body += expires
        body += Timestamp.bytes(session.expires)
        body += rest
        return body
    }

    private static func appendID(_ id: UUID, to body: inout [UInt8]) {
        let b = id.uuid
        let bytes = [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { body.append(UInt8(ascii: "-")) }
            body.append(JSONText.hexadecimalDigit(byte >> 4))
            body.append(JSONText.hexadecimalDigit(byte & 15))
        }
    }
}
