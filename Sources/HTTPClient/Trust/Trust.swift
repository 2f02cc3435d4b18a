import Synchronization

/// The rules for accepting a TLS connection, and the client's identity. They are fixed for the lifetime of a
/// ``Transferring``, so that no connection made under one trust is used under another.
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

    /// Whether the host name must match the certificate.
    var checksName: Bool {
        if case .authorities = verification { true } else { false }
    }

    /// Whether a failed verification ends the handshake.
    var isEnforced: Bool {
        if case .observed = verification { false } else { true }
    }
}

/// Stores the certificate that a server sent in a handshake.
final class CertificateBox: Sendable {
    private let content = Mutex<Certificate?>(nil)

    var certificate: Certificate? { content.withLock { $0 } }

    func put(_ certificate: Certificate) { content.withLock { $0 = certificate } }
}
