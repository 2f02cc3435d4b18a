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
        let tokens = RequestTokens(request, cookie: cookie)
        guard let first = tokens.first else { return OnyxAnswers.forbidden }
        let answer = try await issuer.authenticate(first)
        guard let second = tokens.second, !answer.isValid else { return me(answer, first) }
        let other = try await issuer.authenticate(second)
        // The first session that is over says more than a token that nobody knows.
        return other.isValid || answer == .unrecognized ? me(other, second) : me(answer, first)
    }

    /// The same, when nothing need be waited for: the session is in memory.
    func meAtOnce(_ request: ServerRequest) -> ServerResponse? {
        let tokens = RequestTokens(request, cookie: cookie)
        guard let first = tokens.first else { return OnyxAnswers.forbidden }
        guard let answer = issuer.cachedAuthentication(first), tokens.second == nil || answer.isValid else {
            return nil
        }
        return me(answer, first)
    }

    private func me(_ authentication: Authentication, _ token: String) -> ServerResponse {
        switch authentication {
        case .valid(let session):
            return ServerResponse(status: .ok, headers: .privateJSON, body: OnyxMe.body(session))
        case .passwordChangeRequired:
            return OnyxAnswers.business(.forbidden, .unauthorized, services.passwordChangeSentence)
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
    /// The body for a live session.
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
