import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import OAuth

extension RelyingParty {
    /// Exchanges a code for tokens at the token endpoint.
    ///
    /// Source: OpenID Connect Core §3.1.3.1 to §3.1.3.5; RFC 7636 §4.5.
    func exchange(
        _ code: Secret, redirect: String, verifier: PKCE.Verifier, at provider: ProviderMetadata
    ) async throws -> TokenResponse {
        var request = ClientRequest(method: .post, url: provider.tokenEndpoint)
        request.headers = ["Accept": JSON.mediaType, "Content-Type": FormURLEncoded.mediaType]
        var form = [
            ("grant_type", "authorization_code"), ("code", code.reveal()), ("redirect_uri", redirect),
            ("code_verifier", verifier.secret.reveal()),
        ]
        let secret = try authenticate(&request, &form)
        request.body = Array(FormURLEncoded.encode(form).utf8)
        let response = try await requests.send(request, named: "the token endpoint")
        guard response.status == .ok else {
            throw refusal(response, secrets: [code, verifier.secret] + (secret.map { [$0] } ?? []))
        }
        do throws(OAuthError) {
            return try TokenResponse(parsing: response.body)
        } catch {
            throw OpenIDConnectError(
                .invalidResponse, "Could not use the token endpoint of '\(settings.issuer)': \(error.message)",
                cause: error)
        }
    }

    /// Returns whether the provider accepts this client and its secret. Sends an invented code, which the provider must
    /// refuse in any case.
    ///
    /// A provider checks the client before the code, and its error says which of them it refuses. A provider that
    /// checks the code first appears to accept the client.
    ///
    /// - Parameter redirect: A redirect address that is registered at the provider.
    /// - Returns: True when the provider refused the code and not the client. False when its response does not say
    ///   which.
    /// - Throws: ``OpenIDConnectError``, with ``OpenIDConnectError/Code/misconfigured`` when the client is refused; or
    ///   `CancellationError`.
    ///
    /// Source: RFC 6749 §3.2.1 and §5.2, `invalid_client` and `invalid_grant`.
    package func knowsClient(redirect: String) async throws -> Bool {
        let code = Secret("latchd-check-" + Base64URL.encode(SecureRandom.bytes(24)))
        do {
            _ = try await exchange(code, redirect: redirect, verifier: PKCE.Verifier(), at: try await metadata())
            return false
        } catch let error as OpenIDConnectError where error.code == .refused {
            return error.providerError == "invalid_grant"
        } catch let error as OpenIDConnectError where error.code == .invalidResponse {
            return false
        }
    }

    /// Adds the client authentication to a token request. Returns the secret that it contains.
    ///
    /// Source: RFC 6749 §2.3.1, which requires that both parts are form-encoded before they are joined.
    private func authenticate(
        _ request: inout ClientRequest, _ form: inout [(String, String)]
    ) throws(OpenIDConnectError) -> Secret? {
        switch settings.authentication {
        case .none:
            form.append(("client_id", settings.clientID))
            return nil
        case .basic(let secret):
            let pair = Self.formEncoded(settings.clientID) + ":" + Self.formEncoded(secret.reveal())
            request.headers.append("Authorization", "Basic " + Data(pair.utf8).base64EncodedString())
            return secret
        case .post(let secret):
            form += [("client_id", settings.clientID), ("client_secret", secret.reveal())]
            return secret
        case .apple:
            let secret = try AppleSecret(settings).text(at: now())
            form += [("client_id", settings.clientID), ("client_secret", secret.reveal())]
            return secret
        }
    }

    private static func formEncoded(_ text: String) -> String {
        String(FormURLEncoded.encode([("", text)]).dropFirst())
    }

    /// Returns the error for an unsuccessful response of the token endpoint.
    ///
    /// Source: RFC 6749 §5.2.
    private func refusal(_ response: ClientResponse, secrets: [Secret]) -> OpenIDConnectError {
        guard let refusal = try? TokenErrorResponse(parsing: response.body),
            let text = ProviderErrorText(code: refusal.error, description: refusal.description, secrets: secrets)
        else {
            // A 401 without an error code still says that the client was refused.
            guard response.status == .unauthorized else {
                return requests.unexpected(response, named: "the token endpoint")
            }
            return OpenIDConnectError(
                .misconfigured,
                "The token endpoint of '\(settings.issuer)' responds with 401; check the client id, the secret and how "
                    + "it is sent.")
        }
        let start = "The identity provider '\(settings.issuer)' refused the code exchange with '\(text.code)'"
        guard ["invalid_client", "unauthorized_client"].contains(text.code) else {
            return OpenIDConnectError(.refused, start + "; start the sign-in again.", error: text)
        }
        return OpenIDConnectError(
            .misconfigured, start + "; check the client id, the secret and how it is sent.", error: text)
    }
}
