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
    private let ownAudience: String
    private let otherAudiences: [String]

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: A key that is published as long as the tokens are valid.
    ///   - issuer: The issuer.
    ///   - ownAudience: The audience of tokens for no other server. No other kind of token has it.
    ///   - otherAudiences: The audiences of other kinds of signed tokens of this issuer. No token of a client gets them,
    ///     even if a person allowed them before they were in use.
    package init(key: SigningKey, issuer: String, ownAudience: String, otherAudiences: [String]) {
        self.key = key
        self.issuer = issuer
        self.ownAudience = ownAudience
        self.otherAudiences = otherAudiences
    }

    /// Returns a token. The times in it are whole seconds.
    ///
    /// Source: RFC 9068 §2.2 and §3; RFC 9449 §6.1.
    func token(
        _ grant: ClientGrant, of person: UUID, authenticated: Date, methods: AuthenticationMethods,
        boundTo thumbprint: String?, at now: Date, until expires: Date
    ) throws(JOSEError) -> Secret {
        func seconds(_ date: Date) -> JSONValue { .number(date.timeIntervalSince1970.rounded(.down)) }
        let resources = grant.audience.filter { !otherAudiences.contains($0) }
        let audience: JSONValue =
            switch resources.count {
            case 0: .string(ownAudience)
            case 1: .string(resources[0])
            default: .array(resources.map { .string($0) })
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
