import HTTPMessages
import OAuth
import OpenIDConnect

extension UnauthenticatedConnection {
    /// Returns whether the server publishes gateway metadata for itself in which `loopback_redirects_supported` is
    /// `true`.
    ///
    /// - Parameter path: The path of the issuer below the server's address.
    /// - Returns: Whether the metadata say so. False when the server does not respond.
    /// - Throws: `CancellationError` only.
    ///
    /// Source: docs/token-endpoints.md.
    func allowsLoopback(issuer path: String) async throws(CancellationError) -> Bool {
        try await gatewayMetadata(issuer: path)?[LatchdMetadata.loopbackRedirects]?.bool == true
    }

    /// Returns a new key for the token of a sign-in, if the server is a gateway that binds tokens to keys.
    ///
    /// - Parameter path: The path of the issuer below the server's address.
    /// - Returns: The key. Nil also when the server does not respond.
    /// - Throws: `CancellationError` only.
    ///
    /// Source: docs/token-endpoints.md; RFC 9449 §5.1.
    func proofKey(issuer path: String) async throws(CancellationError) -> DPoPKey? {
        let algorithms = try await gatewayMetadata(issuer: path)?[AuthorizationServer.proofAlgorithms]?.array
        guard algorithms?.contains(.string(DPoPKey.algorithm)) == true else { return nil }
        return try? DPoPKey()
    }

    /// Returns the metadata that a gateway publishes for the address. Nil for another server, for a gateway that is known
    /// by another address, and when the server does not respond.
    ///
    /// Source: RFC 8414 §3.1 and §3.3 for the location and the issuer.
    private func gatewayMetadata(issuer path: String) async throws(CancellationError) -> JSONValue? {
        let url = address.origin + LatchdMetadata.wellKnown + address.prefix + path
        do {
            let response = try await get(url)
            guard response.status.isSuccess, let metadata = try? JSONValue(parsing: response.body),
                metadata["issuer"]?.string == address.url + path
            else { return nil }
            return metadata
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }
}
