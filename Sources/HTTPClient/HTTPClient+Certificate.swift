import Wire

extension HTTPClient {
    /// Makes a TLS handshake with the server at `url` and tells what certificate it shows, verified or not.
    ///
    /// No HTTP request, no extra header and no client certificate is sent. The answer is to be shown to a person, who
    /// compares the fingerprint with what the server's operator says before it is pinned.
    ///
    /// - Parameters:
    ///   - url: An `https` address; its path does not matter.
    ///   - timeout: The longest that connecting and the handshake may take.
    /// - Returns: The certificate's fields and fingerprint.
    /// - Throws: ``TransportError`` as ``send(_:)`` does when no handshake comes about, or `CancellationError`.
    public func presentedCertificate(
        at url: String, timeout: Duration = .seconds(10)
    ) async throws -> PresentedCertificate {
        let address = try RequestAddress(parsing: url)
        guard address.scheme == "https" else {
            throw TransportError(
                .invalidAddress,
                "Could not look at the certificate of '\(address.origin)': only https has certificates; write "
                    + "the address with 'https://'."
            )
        }
        let box = CertificateBox()
        // A loop of its own: no connection and no TLS session made without verification is ever used again.
        let loop = TransferLoop(Trust(.observed(box)))
        let plan = TransferPlan(
            method: .head, address: address, headers: [:], body: [], userAgent: configuration.userAgent,
            proxy: try proxies.proxy(for: address), connectTimeout: timeout, timeout: timeout, connectsOnly: true)
        do {
            _ = try await loop.perform(plan)
        } catch {
            await loop.close()
            // A server that wants a client certificate may end the handshake after it has shown its own.
            guard box.certificate != nil, error is TransportError else { throw error }
        }
        await loop.close()
        guard let presented = box.certificate.flatMap(PresentedCertificate.init) else {
            throw TransportError(
                .tls,
                "Could not look at the certificate of '\(address.origin)': the server shows none that can be read.")
        }
        return presented
    }
}
