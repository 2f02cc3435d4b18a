import CGnuTLS

/// The TLS session of one connection.
///
/// libmicrohttpd owns the session and performs the handshake. This type sets the certificate, and writes where
/// libmicrohttpd cannot.
struct TLSSession {
    private let session: OpaquePointer
    // Retained, because the session points to its credentials.
    private let certificate: TLSCertificate

    /// The priority string: TLS 1.3 and 1.2 with forward secrecy and authenticated encryption, in the server's order of
    /// preference.
    ///
    /// Source: GnuTLS manual, "Priority strings"; RFC 9325 §3.1.1, §4.1 and §4.2.
    static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA:"
        + "-CIPHER-ALL:+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:-MAC-ALL:+AEAD:"
        + "-SIGN-RSA-SHA1:-SIGN-ECDSA-SHA1:%SERVER_PRECEDENCE"

    /// Prepares a session before its handshake. Returns nil when GnuTLS has no memory for it.
    ///
    /// The handshake fails with an alert for a client that offers protocols without `http/1.1`, because the client
    /// would interpret the responses as another protocol.
    ///
    /// Source: RFC 7301 §3.2; `gnutls_alpn_set_protocols`.
    init?(_ session: OpaquePointer, _ certificate: TLSCertificate) {
        self.session = session
        self.certificate = certificate
        let credentials = UnsafeMutableRawPointer(certificate.credentials)
        guard gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials) == 0 else { return nil }
        var name = Array("http/1.1".utf8)
        let result = name.withUnsafeMutableBufferPointer { bytes in
            // GnuTLS copies the name.
            var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
            return gnutls_alpn_set_protocols(session, &datum, 1, GNUTLS_ALPN_MANDATORY.rawValue)
        }
        guard result == 0 else { return nil }
    }

    /// Whether there are decrypted bytes that were not read.
    var hasDecryptedBytes: Bool { gnutls_record_check_pending(session) > 0 }

    /// Whether the handshake waits until it can send.
    var waitsToSend: Bool { gnutls_record_get_direction(session) == 1 }

    /// Sends bytes without libmicrohttpd, as many as can be sent without blocking.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { gnutls_record_send(session, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Tells the client that no more bytes will be sent.
    ///
    /// Source: RFC 8446 §6.1.
    func sendCloseNotify() {
        // GNUTLS_SHUT_WR does not wait for the alert of the client.
        _ = gnutls_bye(session, GNUTLS_SHUT_WR)
    }
}
