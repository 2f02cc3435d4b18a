public import Crypto
import FoundationEssentials
import JOSE
import OAuth

/// Says whose a token is that an identity provider has signed and that a program brings with its requests.
///
/// The token is checked with the provider's published keys. One that names another issuer, is of another kind, is meant for
/// somebody else or is over is refused before anything is asked of the provider; the keys are fetched again when none made
/// the signature, but not more often than every ten seconds.
///
/// A token is good until it expires, whatever the provider has learnt since.
///
/// Source: RFC 9068 §4; RFC 8725 §3; RM-6.
public struct AccessTokenVerifier: Sendable {
    private let party: RelyingParty
    private let expected: AccessTokenExpectation

    /// Makes a verifier.
    ///
    /// - Parameters:
    ///   - party: The provider; its clock and how much clocks may differ hold here too.
    ///   - expected: What a token must be.
    public init(_ party: RelyingParty, expecting expected: AccessTokenExpectation) {
        self.party = party
        self.expected = expected
    }

    /// Whose a token is, by what stands in it.
    ///
    /// - Returns: The identity; what the token does not tell of the person is missing.
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/badToken`` when the token opens nothing,
    ///   ``OpenIDConnectError/Code/unreachable`` when the provider's keys cannot be had now; or `CancellationError`.
    public func identity(of token: Secret) async throws -> ProviderIdentity {
        let issuer = party.settings.issuer
        let signature: JSONWebSignature
        do throws(JOSEError) {
            signature = try JSONWebSignature(parsing: token.reveal())
        } catch {
            throw OpenIDConnectError(
                .badToken, "The token in a request cannot be believed: \(error.message)", cause: error)
        }
        guard signature.header.algorithm != nil else {
            throw OpenIDConnectError(
                .badToken, "The token of '\(issuer)' in a request is not signed by an algorithm that is trusted.")
        }
        let claims = try PresentedTokenClaims(
            signature, of: issuer, against: expected, now: party.now(),
            maximumClockSkew: party.settings.maximumClockSkew, groupsClaim: party.settings.groupsClaim)
        guard try await party.isSigned(signature) else {
            throw OpenIDConnectError(
                .badToken, "No key of '\(issuer)' made the signature of the token in a request.")
        }
        return ProviderIdentity(
            issuer: issuer, subject: claims.subject, email: claims.person.email,
            isEmailVerified: claims.person.isEmailVerified, name: claims.person.name, sessionID: claims.sessionID,
            authenticated: claims.authenticated.map { Date(timeIntervalSince1970: $0) },
            issued: claims.issued.map { Date(timeIntervalSince1970: $0) },
            groups: claims.person.groups ?? [])
    }

    /// The same person with the e-mail address and the name that the UserInfo endpoint tells.
    ///
    /// - Parameters:
    ///   - identity: As ``identity(of:)`` gave it.
    ///   - token: The token it was made of.
    /// - Returns: The identity; the same one where the provider has no such endpoint or an ID token is spoken for.
    /// - Throws: As ``identity(of:)``.
    ///
    /// Source: OpenID Connect Core §5.3.
    public func asking(_ identity: ProviderIdentity, with token: Secret) async throws -> ProviderIdentity {
        let provider = try await party.metadata()
        guard expected.kind == .access, let endpoint = provider.userInfoEndpoint else { return identity }
        let told = try await party.userInfo(
            endpoint, accessToken: token, subject: identity.subject, from: provider)
        guard told.email != nil else { return identity }
        var identity = identity
        if identity.groups.isEmpty { identity.groups = told.groups ?? [] }
        identity.email = told.email
        identity.isEmailVerified = told.isEmailVerified
        identity.name = identity.name ?? told.name
        return identity
    }
}
