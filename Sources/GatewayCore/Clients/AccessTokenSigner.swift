import Crypto
import FoundationEssentials
import HTTPMessages
package import JOSE

/// The form of a client's access tokens.
package enum AccessTokenForm: String, Sendable, CaseIterable {
    /// Random text, which other servers check with introspection.
    case opaque
    /// A signed text that other servers can check by themselves. They do not notice when it is revoked; this server
    /// does.
    case signed = "jwt"
}

/// Makes signed access tokens.
///
/// Source: RFC 9068.
package struct AccessTokenSigner: Sendable {
    private let key: SigningKey
    private let issuer: String

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: A key that is published as long as the tokens are valid.
    ///   - issuer: The issuer, which is also the audience of tokens for no other server.
    package init(key: SigningKey, issuer: String) {
        self.key = key
        self.issuer = issuer
    }

    /// Returns a token. The times in it are whole seconds.
    ///
    /// Source: RFC 9068 §2.2; RFC 9449 §6.1.
    func token(
        _ grant: ClientGrant, of person: UUID, authenticated: Date, methods: AuthenticationMethods,
        boundTo thumbprint: String?, at now: Date, until expires: Date
    ) throws(JOSEError) -> Secret {
        func seconds(_ date: Date) -> JSONValue { .number(date.timeIntervalSince1970.rounded(.down)) }
        let audience: JSONValue =
            switch grant.audience.count {
            case 0: .string(issuer)
            case 1: .string(grant.audience[0])
            default: .array(grant.audience.map { .string($0) })
            }
        let claims: [JSONValue.Member?] = [
            .init("iss", .string(issuer)), .init("sub", .string(person.uuidString.lowercased())),
            .init("aud", audience),
            .init("client_id", .string(grant.client)), .init("scope", .string(grant.scopes.joined(separator: " "))),
            .init("jti", .string(Base64URL.encode(SecureRandom.bytes(16)))), .init("iat", seconds(now)),
            .init("exp", seconds(expires)), .init("auth_time", seconds(authenticated)),
            .init("acr", .string(methods.level.rawValue)),
            methods.values.isEmpty ? nil : .init("amr", .array(methods.values.map { .string($0) })),
            thumbprint.map(AccessTokenClaims.confirmation),
        ]
        return Secret(
            try key.sign(payload: JSONValue.object(claims.compactMap { $0 }).encoded(), type: AccessTokenClaims.type))
    }
}
