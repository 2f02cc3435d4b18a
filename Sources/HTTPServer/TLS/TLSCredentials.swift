import Synchronization

/// The certificate that a server shows, which may be replaced while it runs.
///
/// A connection keeps the certificate it was accepted with, so replacing one drops nobody.
public final class TLSCredentials: Sendable {
    private let state: Mutex<TLSCertificate>

    /// Begins with `certificate`.
    public init(_ certificate: TLSCertificate) {
        state = Mutex(certificate)
    }

    /// What connections accepted from now on are shown.
    public var certificate: TLSCertificate { state.withLock { $0 } }

    /// Shows another certificate to connections that are accepted from now on.
    public func replace(with certificate: TLSCertificate) {
        state.withLock { $0 = certificate }
    }
}
