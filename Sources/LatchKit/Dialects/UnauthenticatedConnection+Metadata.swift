import OAuth
import Wire

extension UnauthenticatedConnection {
    /// Whether the gateway's metadata are this server's and `loopback_redirects_supported` is `true` in them.
    ///
    /// - Parameter path: The path of the issuer below the server's address.
    /// - Returns: Whether they say so; a server that does not answer does not.
    /// - Throws: `CancellationError` only.
    ///
    /// Source: docs/token-endpoints.md; RFC 8414 §3.1 and §3.3 for the place and the issuer.
    func allowsLoopback(issuer path: String) async throws(CancellationError) -> Bool {
        let url = address.origin + LatchdMetadata.wellKnown + address.prefix + path
        do {
            let answer = try await get(url)
            guard answer.status.isSuccess, let metadata = try? JSONValue(parsing: answer.body) else { return false }
            return metadata["issuer"]?.string == address.url + path
                && metadata[LatchdMetadata.loopbackRedirects]?.bool == true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }
}
