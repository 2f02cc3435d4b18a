import HTTPMessages

extension HTTPClient {
    /// Makes a TLS handshake with the server at `url` and returns its certificate, whether it is valid or not.
    ///
    /// No HTTP request, no extra header fields and no client certificate are sent. Show the result to a person, who
    /// compares the fingerprint with the one from the server's operator before it is pinned.
    ///
    /// - Parameters:
    ///   - url: An `https` address. Its path does not matter.
    ///   - timeout: The timeout of connecting and the handshake.
    /// - Returns: The fields and the fingerprint of the certificate.
    /// - Throws: ``TransportError`` as ``send(_:)`` does when the handshake fails, or `CancellationError`.
    package func presentedCertificate(
        at url: String, timeout: Duration = .seconds(10)
    ) async throws -> PresentedCertificate {
        let address = try RequestAddress(parsing: url)
        guard address.scheme == "https" else {
            throw TransportError(
                .invalidAddress,
                "Could not read the certificate of '\(address.origin)': only https has certificates; write "
                    + "the address with 'https://'."
            )
        }
        let box = CertificateBox()
        // A separate engine, so that no connection or TLS session that was made without verification is used again.
        let engine = TransferEngine(Trust(.observed(box)))
        let plan = TransferPlan(
            method: .head, address: address, headers: [:], body: [], userAgent: configuration.userAgent,
            proxy: try proxies.proxy(for: address), connectTimeout: timeout, timeout: timeout, connectsOnly: true)
        do {
            _ = try await engine.perform(plan)
        } catch {
            await engine.close()
            // A server that requires a client certificate may end the handshake after it has sent its own certificate.
            guard box.certificate != nil, error is TransportError else { throw error }
        }
        await engine.close()
        guard let presented = box.certificate.flatMap(PresentedCertificate.init) else {
            throw TransportError(
                .tls,
                "Could not read the certificate of '\(address.origin)': the server did not send a readable one.")
        }
        return presented
    }
}
