import Crypto
import FoundationEssentials
import JOSE
import OAuth

extension RelyingParty {
    /// Verifies the ID token of a token response: its signature, then its claims.
    func idToken(
        of tokens: TokenResponse, code: Secret, nonce: String, freshSince: Date?, from provider: ProviderMetadata
    ) async throws -> IDToken {
        guard let text = tokens.idToken else {
            throw OpenIDConnectError(
                .invalidToken,
                "The token endpoint of '\(provider.issuer)' returned no ID token; check that it is an OpenID provider.")
        }
        let what = "The ID token of '\(provider.issuer)'"
        let signature = try await verified(text, what: what, from: provider)
        guard let algorithm = signature.header.algorithm else { throw Self.unsigned(what) }
        return try IDToken(
            checking: signature.payload, signedBy: algorithm,
            against: IDToken.Expectation(
                issuer: provider.issuer, clientID: settings.clientID, trustedAudiences: settings.trustedAudiences,
                nonce: nonce, now: now(),
                maximumClockSkew: settings.maximumClockSkew, maximumAge: maximumAge, freshSince: freshSince,
                accessToken: tokens.accessToken, code: code, groupsClaim: settings.groupsClaim))
    }

    /// Verifies the signature of a token of the provider and returns the parsed token. `type` is the accepted type;
    /// tokens without a type are accepted too.
    ///
    /// Source: OpenID Connect Core §3.1.3.7; RFC 8725 §3.1, §3.2 and §3.11.
    func verified(
        _ text: Secret, what: String, from provider: ProviderMetadata, type: String? = nil
    ) async throws -> JSONWebSignature {
        let signature: JSONWebSignature
        do throws(JOSEError) {
            signature = try JSONWebSignature(parsing: text.reveal())
        } catch {
            throw OpenIDConnectError(.invalidToken, "\(what) is not valid: \(error.message)", cause: error)
        }
        let name = signature.header.algorithmName
        guard signature.header.algorithm != nil,
            provider.signingAlgorithms.isEmpty || provider.signingAlgorithms.contains(name)
        else { throw Self.unsigned(what) }
        // The same key may sign other kinds of tokens for other uses. Those have a type that says so.
        let named = signature.header.type?.lowercased()
        guard named?.hasSuffix("+jwt") != true || named == type else {
            throw OpenIDConnectError(.invalidToken, "\(what) is not valid: its token type is wrong.")
        }
        guard try await isSigned(signature) else {
            throw OpenIDConnectError(
                .invalidToken, "\(what) is not valid: it is not signed with a key of the provider.")
        }
        return signature
    }

    private static func unsigned(_ what: String) -> OpenIDConnectError {
        OpenIDConnectError(
            .invalidToken,
            "\(what) is not valid: it is not signed with a trusted algorithm that the provider announces; "
                + "configure the provider to sign with RS256, PS256, ES256 or EdDSA.")
    }

    private var maximumAge: Double? {
        settings.parameters.last { $0.0 == "max_age" }.flatMap { Double($0.1) }
    }
}
