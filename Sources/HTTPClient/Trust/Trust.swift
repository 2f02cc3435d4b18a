import COpenSSL
import Synchronization

/// Everything that decides whether a TLS connection is accepted and as whom it comes; fixed for the life of a
/// ``TransferLoop``, so that no connection made under one trust is used under another.
final class Trust: Sendable {
    /// How a server's certificate is judged.
    enum Judgement: Sendable {
        /// By authorities; `anchors` are trusted beside or instead of the system's.
        case authorities(anchors: [Certificate], includesSystem: Bool)
        /// By its fingerprint alone.
        case pinned(CertificateFingerprint)
        /// Not at all: the certificate is only put into the box, to be looked at.
        case observed(CertificateBox)
    }

    let judgement: Judgement
    let identity: ClientIdentity?

    init(_ judgement: Judgement, identity: ClientIdentity? = nil) {
        self.judgement = judgement
        self.identity = identity
    }

    /// Whether curl compares the host's name with the certificate's.
    var checksName: Bool {
        if case .authorities = judgement { true } else { false }
    }

    /// Whether a judgement of no ends the handshake.
    var isEnforced: Bool {
        if case .observed = judgement { false } else { true }
    }

    /// Brings this trust into the TLS context of one new connection.
    func install(in context: OpaquePointer) -> Bool {
        switch judgement {
        case .authorities(let anchors, let includesSystem):
            // Looks up by name when it needs to, where curl would read the whole bundle for each connection.
            if includesSystem { SSL_CTX_set_default_verify_paths(context) }
            let store = SSL_CTX_get_cert_store(context)
            guard anchors.allSatisfy({ X509_STORE_add_cert(store, $0.pointer) == 1 }) else { return false }
        case .pinned:
            // The context may ask again during the connection; the loop that owns this object outlives it.
            SSL_CTX_set_cert_verify_callback(context, judgePinned, Unmanaged.passUnretained(self).toOpaque())
        case .observed:
            SSL_CTX_set_cert_verify_callback(context, observe, Unmanaged.passUnretained(self).toOpaque())
        }
        return identity?.install(in: context) ?? true
    }
}

/// Accepts a chain exactly when its leaf has the pinned fingerprint.
///
/// Source: `SSL_CTX_set_cert_verify_callback`(3).
private let judgePinned: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    guard let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain),
        case .pinned(let wanted) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().judgement,
        Certificate.fingerprint(of: leaf) == wanted
    else {
        if let chain { X509_STORE_CTX_set_error(chain, X509_V_ERR_APPLICATION_VERIFICATION) }
        return 0
    }
    X509_STORE_CTX_set_error(chain, X509_V_OK)
    return 1
}

/// Accepts every chain and keeps its leaf.
private let observe: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { chain, trust in
    if let chain, let trust, let leaf = X509_STORE_CTX_get0_cert(chain), X509_up_ref(leaf) == 1,
        case .observed(let box) = Unmanaged<Trust>.fromOpaque(trust).takeUnretainedValue().judgement
    {
        box.put(Certificate(owning: leaf))
    }
    return 1
}

/// Holds the certificate that a handshake showed.
final class CertificateBox: Sendable {
    private let content = Mutex<Certificate?>(nil)

    var certificate: Certificate? { content.withLock { $0 } }

    func put(_ certificate: Certificate) { content.withLock { $0 = certificate } }
}
