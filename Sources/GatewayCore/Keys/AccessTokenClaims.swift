import FoundationEssentials
package import HTTPMessages

/// The claims of an access token that another server can verify by itself.
///
/// Source: RFC 9068 §2.2; RFC 7519 §4.1.
package struct AccessTokenClaims: Sendable {
    /// The `typ` of the header, which distinguishes the token from every other kind of signed text.
    ///
    /// Source: RFC 9068 §2.1.
    package static let type = "at+jwt"

    /// The address of the server that issues the token.
    package let issuer: String
    /// The intended recipient of the token.
    package let audience: String
    /// The client that the token is issued to.
    package let clientID: String

    /// Creates the claims that all tokens of a dialect have in common.
    package init(issuer: String, audience: String, clientID: String) {
        self.issuer = issuer
        self.audience = audience
        self.clientID = clientID
    }

    /// Returns the claims for a session. `jti` is the session's public id.
    ///
    /// When the address is not proved, `email` is omitted and `email_verified` is false. A token that is bound to a key
    /// has `cnf`.
    ///
    /// Source: OpenID Connect Core §5.1 for `email_verified`; RFC 9449 §6.1 for `cnf`.
    package func claims(of session: SessionProperties) -> JSONValue {
        let person = session.person
        let email = person.provedAddress
        let claims: [JSONValue.Member?] = [
            .init("iss", .string(issuer)), .init("aud", .string(audience)),
            .init("sub", .string(person.id.uuidString.lowercased())), .init("client_id", .string(clientID)),
            .init("jti", .string(session.id.rawValue)), .init("iat", .number(session.created.timeIntervalSince1970)),
            .init("exp", .number(session.expires.timeIntervalSince1970)), .init("username", .string(person.username)),
            .init("fullName", person.name.map(JSONValue.string) ?? .null),
            email.map { .init("email", .string($0.text)) }, .init("email_verified", .bool(email != nil)),
            session.keyThumbprint.map(Self.confirmation),
        ]
        return .object(claims.compactMap { $0 })
    }

    /// Returns the claim about the key that a token is bound to.
    ///
    /// - Parameter thumbprint: The SHA-256 of the public key in base64url.
    /// - Returns: `cnf` with `jkt`.
    ///
    /// Source: RFC 7800 §3; RFC 9449 §6.1.
    package static func confirmation(_ thumbprint: String) -> JSONValue.Member {
        .init("cnf", .object([.init("jkt", .string(thumbprint))]))
    }
}
