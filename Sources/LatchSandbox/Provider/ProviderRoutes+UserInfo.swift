import HTTPMessages
import HTTPServer

/// The UserInfo endpoint.
///
/// Source: OpenID Connect Core §5.3; RFC 6750 §2.1 and §3.
extension ProviderRoutes {
    /// Returns the claims of the access token's person.
    func userInfo(_ request: ServerRequest) -> ServerResponse {
        let words = (request.headers["Authorization"] ?? "").split(separator: " ").map(String.init)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            return Self.unauthorized("Bearer realm=\"userinfo\"")
        }
        guard let grant = grants.grant(ofAccessToken: words[1]) else {
            return Self.unauthorized("Bearer realm=\"userinfo\", error=\"invalid_token\"")
        }
        if grant.choices.fault == .brokenUserInfo {
            return .text("The provider simulates an error.\n", status: .internalServerError)
        }
        let subject = grant.choices.fault == .otherSubject ? "somebody-else" : grant.person.subject
        let claims = [("sub", JSONValue.string(subject))] + PersonClaims.of(grant)
        return Self.json(.object(claims.map { .init($0.0, $0.1) }))
    }

    private static func unauthorized(_ challenge: String) -> ServerResponse {
        ServerResponse(status: .unauthorized, headers: ["WWW-Authenticate": challenge, "Cache-Control": "no-store"])
    }
}
