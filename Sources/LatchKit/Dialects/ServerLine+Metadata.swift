extension ServerLine {
    /// Whether the gateway's metadata are this server's and `loopback_redirects_supported` is `true` in them.
    ///
    /// - Parameter path: The path of the issuer below the server's address.
    /// - Returns: Whether they say so; a server that does not answer does not.
    /// - Throws: `CancellationError` only.
    ///
    /// Source: RFC 8414 §3.1: the well-known part goes between the host and the issuer's own path; §3.3;
    /// `loopback_redirects_supported` is latchd's own.
    func allowsLoopback(issuer path: String) async throws(CancellationError) -> Bool {
        let url = address.origin + "/.well-known/oauth-authorization-server" + address.prefix + path
        do {
            let answer = try await get(url)
            guard answer.status.isSuccess, let metadata = try? JSONValue(parsing: answer.body) else { return false }
            return metadata["issuer"]?.string == address.url + path
                && metadata["loopback_redirects_supported"]?.bool == true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return false
        }
    }
}
