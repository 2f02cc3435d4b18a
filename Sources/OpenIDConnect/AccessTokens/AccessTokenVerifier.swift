package import Crypto
import FoundationEssentials
import JOSE
import OAuth

/// Verifies tokens that an identity provider signed and that programs send with their requests.
///
/// The signature is verified with the provider's published keys. A token with another issuer, kind or audience, or an
/// expired one, is rejected before any request to the provider. If no key matches the signature, the keys are fetched
/// again, but at most every ten seconds.
///
/// A token is valid until it expires, even if the provider has revoked it since.
///
/// Source: RFC 9068 §4; RFC 8725 §3; RM-6.
package struct AccessTokenVerifier: Sendable {
    private let party: RelyingParty
    private let expected: AccessTokenExpectation

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - party: The provider. Its clock and its maximum clock skew also apply here.
    ///   - expected: The requirements for a token.
    package init(_ party: RelyingParty, expecting expected: AccessTokenExpectation) {
        self.party = party
        self.expected = expected
    }

    /// Returns the identity in a token.
    ///
    /// - Returns: The identity. Claims that are not in the token are missing.
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/invalidToken`` when the token is not accepted,
    ///   ``OpenIDConnectError/Code/unreachable`` when the provider's keys are not available now; or
    ///   `CancellationError`.
    package func identity(of token: Secret) async throws -> ProviderIdentity {
        let issuer = party.settings.issuer
        let signature: JSONWebSignature
        do throws(JOSEError) {
            signature = try JSONWebSignature(parsing: token.reveal())
        } catch {
            throw OpenIDConnectError(
                .invalidToken, "The token in a request is not valid: \(error.message)", cause: error)
        }
        guard signature.header.algorithm != nil else {
            throw OpenIDConnectError(
                .invalidToken, "The token of '\(issuer)' in a request is not signed with a trusted algorithm.")
        }
        let claims = try PresentedTokenClaims(
            signature, of: issuer, against: expected, now: party.now(),
            maximumClockSkew: party.settings.maximumClockSkew, groupsClaim: party.settings.groupsClaim)
        guard try await party.isSigned(signature) else {
            throw OpenIDConnectError(
                .invalidToken, "The token of '\(issuer)' in a request is not signed with a key of the issuer.")
        }
        return ProviderIdentity(
            issuer: issuer, subject: claims.subject, email: claims.person.email,
            isEmailVerified: claims.person.isEmailVerified, name: claims.person.name, sessionID: claims.sessionID,
            authenticated: claims.authenticated.map { Date(timeIntervalSince1970: $0) },
            issued: claims.issued.map { Date(timeIntervalSince1970: $0) },
            groups: claims.person.groups ?? [])
    }

    /// Completes an identity with the e-mail address, name and groups from the UserInfo endpoint.
    ///
    /// - Parameters:
    ///   - identity: The result of ``identity(of:)``.
    ///   - token: The token of that identity.
    /// - Returns: The completed identity. It is unchanged when the provider has no such endpoint, when the endpoint
    ///   gives no e-mail address, or when ID tokens are expected.
    /// - Throws: As ``identity(of:)``.
    ///
    /// Source: OpenID Connect Core §5.3.
    package func completing(_ identity: ProviderIdentity, with token: Secret) async throws -> ProviderIdentity {
        let provider = try await party.metadata()
        guard expected.kind == .access, let endpoint = provider.userInfoEndpoint else { return identity }
        let userInfo = try await party.userInfo(
            endpoint, accessToken: token, subject: identity.subject, from: provider)
        guard userInfo.email != nil else { return identity }
        var identity = identity
        if identity.groups.isEmpty { identity.groups = userInfo.groups ?? [] }
        identity.email = userInfo.email
        identity.isEmailVerified = userInfo.isEmailVerified
        identity.name = identity.name ?? userInfo.name
        return identity
    }
}
