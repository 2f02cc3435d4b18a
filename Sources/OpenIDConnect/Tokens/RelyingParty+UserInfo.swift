import Crypto
import HTTPClient
import HTTPMessages
import JOSE

extension RelyingParty {
    /// Returns the claims about `subject` from the UserInfo endpoint.
    ///
    /// The signature of a signed response is verified like that of an ID token. Encrypted responses are not supported.
    ///
    /// Source: OpenID Connect Core §5.3.2 to §5.3.4; RFC 6750 §2.1.
    func userInfo(
        _ endpoint: String, accessToken: Secret, subject: String, from provider: ProviderMetadata
    ) async throws -> PersonClaims {
        let what = "The UserInfo response of '\(provider.issuer)'"
        let request = ClientRequest(
            url: endpoint,
            headers: ["Accept": JSON.mediaType, "Authorization": "Bearer " + accessToken.reveal()])
        let response = try await requests.send(request, named: "the UserInfo endpoint")
        guard ![.unauthorized, .forbidden].contains(response.status) else {
            throw OpenIDConnectError(
                .invalidToken, "The UserInfo endpoint of '\(provider.issuer)' does not accept the access token.")
        }
        guard response.status == .ok else { throw requests.unexpected(response, named: "the UserInfo endpoint") }
        var claims = response.body
        let isSigned = Self.mediaType(response.headers["Content-Type"]) == "application/jwt"
        if isSigned {
            let text = Secret(bytes: response.body)
            claims = try await verified(text, what: what, from: provider).payload
        }
        let reader = try ClaimReader(parsing: claims, what: what)
        if isSigned { try checkParties(reader, provider) }
        guard try reader.subject().isExactly(subject) else {
            throw reader.bad("its 'sub' names another person.")
        }
        return PersonClaims(reader.value, groupsClaim: settings.groupsClaim)
    }

    private func checkParties(_ reader: ClaimReader, _ provider: ProviderMetadata) throws(OpenIDConnectError) {
        if let issuer = try reader.text("iss"), !issuer.isExactly(provider.issuer) {
            throw reader.bad("its 'iss' names another issuer.")
        }
        let audience = try reader.texts("aud")
        guard audience.isEmpty || audience.contains(where: settings.clientID.isExactly) else {
            throw reader.bad("its 'aud' does not contain this client.")
        }
    }

    private static func mediaType(_ field: String?) -> String? {
        field?.split(separator: ";").first.map { $0.filter { $0 != " " }.lowercased() }
    }
}
