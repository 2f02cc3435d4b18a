import FoundationEssentials
import GatewayCore
import GatewayHTTP
import HTTPMessages
import JOSE

/// An ID token that a client sends back to say who it is about. It may have expired.
///
/// Source: OpenID Connect Core §3.1.2.1, `id_token_hint`.
struct IDTokenHint: Sendable {
    /// The person.
    let person: UUID
    /// The client that the token was issued to.
    let client: String
    /// The client's session.
    let session: SessionID?

    /// Verifies a token. Nil when this server did not sign it, or has removed the key since.
    init?(_ text: String, issuer: String, keys: JSONWebKeySet) {
        guard let signature = try? JSONWebSignature(parsing: text), signature.header.type?.lowercased() == "jwt",
            let claims = try? JSONValue(parsing: signature.payload, repairsText: false),
            let named = claims["iss"]?.string, ExactText(named) == ExactText(issuer),
            let client = claims["aud"]?.string, let subject = claims["sub"]?.string,
            // Foundation reads more than one spelling of an id.
            let person = UUID(uuidString: subject), ExactText(OAuthRoutes.subject(person)) == ExactText(subject),
            // Last, because it takes the longest.
            keys.isSigned(signature)
        else { return nil }
        self.person = person
        self.client = client
        session = claims["sid"]?.string.map(SessionID.init(rawValue:))
    }
}

extension OAuthRoutes {
    /// Returns the verified ID token of a request. Nil when the request has none, or when this
    /// server did not issue it.
    func hint(_ fields: FormFields) async throws -> IDTokenHint? {
        guard let text = fields["id_token_hint"] else { return nil }
        let set = try JSONWebKeySet(parsing: try await services.signingKeys.published())
        return IDTokenHint(text, issuer: issuer, keys: set)
    }
}
