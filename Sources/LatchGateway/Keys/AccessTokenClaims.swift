import FoundationEssentials
import Wire

/// What an access token says that another server can check by itself.
///
/// Source: RFC 9068 §2.2; RFC 7519 §4.1.
struct AccessTokenClaims: Sendable {
    /// The header's `typ`, which keeps it apart from every other kind of signed text.
    ///
    /// Source: RFC 9068 §2.1.
    static let type = "at+jwt"

    /// The address of the server that the token is of.
    let issuer: String
    /// Whom it is for.
    let audience: String
    /// The client that it was given to.
    let clientID: String

    /// The claims of a session; `jti` is the session's public id.
    func claims(of session: SessionFacts, username: String) -> JSONValue {
        [
            "iss": .string(issuer), "aud": .string(audience),
            "sub": .string(session.person.id.uuidString.lowercased()), "client_id": .string(clientID),
            "jti": .string(session.id.rawValue), "iat": .number(session.created.timeIntervalSince1970),
            "exp": .number(session.expires.timeIntervalSince1970), "username": .string(username),
            "fullName": session.person.name.map(JSONValue.string) ?? .null, "email": .string(session.person.email),
        ]
    }
}
