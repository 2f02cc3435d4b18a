import JOSE

extension RelyingParty {
    /// Fetches and validates the provider's discovery document.
    ///
    /// Source: OpenID Connect Discovery §4.1.
    static func discover(_ settings: ProviderSettings, _ requests: ProviderRequests) async throws -> ProviderMetadata {
        try settings.check()
        let base = settings.issuer.hasSuffix("/") ? String(settings.issuer.dropLast()) : settings.issuer
        let document = try await requests.document(
            base + "/.well-known/openid-configuration", named: "the discovery document")
        return try ProviderMetadata(parsing: document, issuer: settings.issuer)
    }

    static func fetchKeys(_ metadata: ProviderMetadata, _ requests: ProviderRequests) async throws -> JSONWebKeySet {
        let document = try await requests.document(metadata.keysAddress, named: "the keys")
        do throws(JOSEError) {
            return try JSONWebKeySet(parsing: document, maximumBits: JSONWebKey.maximumProviderModulusBits)
        } catch {
            throw OpenIDConnectError(
                .invalidResponse, "Could not use the keys of '\(metadata.issuer)': \(error.message)", cause: error)
        }
    }

    /// Returns whether one of the provider's keys made the signature.
    ///
    /// If no key matches, the keys are fetched again, because the provider may have just replaced them.
    ///
    /// Source: OpenID Connect Core §10.1.1.
    func isSigned(_ signature: JSONWebSignature) async throws -> Bool {
        let (held, moment) = try await keys.current()
        if held.isSigned(signature) { return true }
        guard let newer = try await keys.newer(than: moment) else { return false }
        return newer.isSigned(signature)
    }
}
