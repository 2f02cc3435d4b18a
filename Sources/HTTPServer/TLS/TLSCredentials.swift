import Synchronization

/// The current certificate of a server, which can be replaced while the server runs.
///
/// A connection keeps the certificate with which it was accepted, so replacing the certificate closes no connections.
package final class TLSCredentials: Sendable {
    private let state: Mutex<TLSCertificate>

    /// Creates credentials with `certificate`.
    package init(_ certificate: TLSCertificate) {
        state = Mutex(certificate)
    }

    /// The certificate for new connections.
    package var certificate: TLSCertificate { state.withLock { $0 } }

    /// Replaces the certificate for new connections.
    package func replace(with certificate: TLSCertificate) {
        state.withLock { $0 = certificate }
    }
}
