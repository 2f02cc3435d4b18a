import HTTPMessages
import OAuth

extension UnauthenticatedConnection {
    /// Returns whether the server publishes gateway metadata for itself in which `loopback_redirects_supported` is
    /// `true`.
    ///
    /// - Parameter path: The path of the issuer below the server's address.
    /// - Returns: Whether the metadata say so. False when the server does not respond.
    /// - Throws: `CancellationError` only.
    ///
    /// Source: docs/token-endpoints.md; RFC 8414 §3.1 and §3.3 for the location and the issuer.
    func allowsLoopback(issuer path: String) async throws(CancellationError) -> Bool {
        let url = address.origin + LatchdMetadata.wellKnown + address.prefix + path
        do {
            let response = try await get(url)
            guard response.status.isSuccess, let metadata = try? JSONValue(parsing: response.body) else { return false }
            return metadata["issuer"]?.string == address.url + path
                && metadata[LatchdMetadata.loopbackRedirects]?.bool == true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }
}
