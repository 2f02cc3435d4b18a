import Crypto
import HTTPMessages

/// The authorization response that a provider sent through the person's browser, in either response mode.
///
/// Source: RFC 6749 §4.1.2; RFC 9207 §2.4.
struct AuthorizationCallback: Sendable {
    let code: Secret

    /// Validates the fields of a callback.
    ///
    /// - Throws: ``OpenIDConnectError`` with code ``OpenIDConnectError/Code/denied`` or
    ///   ``OpenIDConnectError/Code/refused`` for the provider's own errors, otherwise
    ///   ``OpenIDConnectError/Code/invalidResponse``.
    init(_ fields: FormFields, from provider: ProviderMetadata) throws(OpenIDConnectError) {
        for name in ["code", "state", "iss", "error", "error_description", "error_uri"]
        where fields.values(name).count > 1 {
            throw Self.bad(provider, "it contains '\(name)' twice; start the sign-in again.")
        }
        // Checked before everything else, including an error, because the response may come from another provider.
        guard fields["iss"] ?? (provider.sendsIssuerInResponses ? nil : provider.issuer) == provider.issuer else {
            throw Self.bad(provider, "it came from another issuer; do not continue the sign-in.")
        }
        if let error = fields["error"] {
            guard fields["code"] == nil else { throw Self.bad(provider, "it contains both a code and an error.") }
            throw Self.refusal(error, description: fields["error_description"], from: provider)
        }
        guard let code = fields["code"], !code.isEmpty, code.utf8.count <= 8192 else {
            throw Self.bad(provider, "it contains neither a code nor an error; start the sign-in again.")
        }
        self.code = Secret(code)
    }

    private static func refusal(
        _ error: String, description: String?, from provider: ProviderMetadata
    ) -> OpenIDConnectError {
        guard let text = ProviderErrorText(code: error, description: description) else {
            return bad(provider, "its error is malformed; start the sign-in again.")
        }
        guard ["access_denied", "user_cancelled_authorize"].contains(text.code) else {
            return OpenIDConnectError(
                .refused, "The identity provider '\(provider.issuer)' refused with '\(text.code)'.", error: text)
        }
        return OpenIDConnectError(
            .denied, "The sign-in at '\(provider.issuer)' was declined; start it again if that was a mistake.",
            error: text)
    }

    private static func bad(_ provider: ProviderMetadata, _ reason: String) -> OpenIDConnectError {
        OpenIDConnectError(.invalidResponse, "Could not use the response of '\(provider.issuer)': \(reason)")
    }
}
