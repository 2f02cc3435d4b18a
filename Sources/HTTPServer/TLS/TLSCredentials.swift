import Synchronization

/// The current certificate of a server, which can be replaced while the server runs.
///
/// A connection keeps the certificate with which it was accepted, so replacing the certificate closes no connections.
public final class TLSCredentials: Sendable {
    private let state: Mutex<TLSCertificate>

    /// Creates credentials with `certificate`.
    public init(_ certificate: TLSCertificate) {
        state = Mutex(certificate)
    }

    /// The certificate for new connections.
    public var certificate: TLSCertificate { state.withLock { $0 } }

    /// Replaces the certificate for new connections.
    public func replace(with certificate: TLSCertificate) {
        state.withLock { $0 = certificate }
    }
}
