import COpenSSL
import Synchronization

/// The rules for accepting a TLS connection, and the client's identity. They are fixed for the lifetime of a
/// ``TransferLoop``, so that no connection made under one trust is used under another.
final class Trust: Sendable {
    /// How a server's certificate is verified.
    enum Verification: Sendable {
        /// By authorities. `anchors` are trusted in addition to the system's, or instead of them.
        case authorities(anchors: [Certificate], includesSystem: Bool)
        /// Only by its fingerprint.
        case pinned(CertificateFingerprint)
        /// Not verified. The certificate is only stored in the box, to be shown.
        case observed(CertificateBox)
    }

    let verification: Verification
    let identity: ClientIdentity?

    init(_ verification: Verification, identity: ClientIdentity? = nil) {
        self.verification = verification
        self.identity = identity
    }

    /// Whether curl compares the host name with the certificate.
    var checksName: Bool {
        if case .authorities = verification { true } else { false }
    }

    /// Whether a failed verification ends the handshake.
    var isEnforced: Bool {
        if case .observed = verification { false } else { true }
    }

    /// Installs this trust in the TLS context of a new connection. Returns false on failure.
    func install(in context: OpaquePointer) -> Bool {
        switch verification {
        case .authorities(let anchors, let includesSystem):
            // OpenSSL looks up an authority by name when it needs one. Curl would read the whole bundle for each
            // connection.
            if includesSystem { SSL_CTX_set_default_verify_paths(context) }
            let store = SSL_CTX_get_cert_store(context)
            guard anchors.allSatisfy({ X509_STORE_add_cert(store, $0.pointer) == 1 }) else { return false }
        case .pinned:
            // The context may call back during the connection. The loop that owns this object outlives the connection.
            SSL_CTX_set_cert_verify_callback(context, verifyPinned, Unmanaged.passUnretained(self).toOpaque())
        case .observed:
            SSL_CTX_set_cert_verify_callback(context, observe, Unmanaged.passUnretained(self).toOpaque())
        }
        return identity?.install(in: context) ?? true
    }
}

/// Accepts a chain if and only if its leaf has the pinned fingerprint.
///
/// Source: `SSL_CTX_set_cert_verify_callback`(3).
private let verifyPinned: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    guard let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain),
        case .pinned(let wanted) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().verification,
        Certificate.fingerprint(of: leaf) == wanted
    else {
        if let chain { X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION) }
        return 0
    }
    X509_STORE_CTX_set_error(chain, X509_V_OK)
    return 1
}

/// Accepts every chain and stores its leaf.
private let observe: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    if let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain), X509_up_ref(leaf) == 1,
        case .observed(let box) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().verification
    {
        box.put(Certificate(owning: leaf))
    }
    return 1
}

/// Stores the certificate that a server sent in a handshake.
final class CertificateBox: Sendable {
    private let content = Mutex<Certificate?>(nil)

    var certificate: Certificate? { content.withLock { $0 } }

    func put(_ certificate: Certificate) { content.withLock { $0 = certificate } }
}
