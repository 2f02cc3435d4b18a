import CMicroHTTPD

/// The protection of one connection, determined when it is accepted.
enum ConnectionSecurity {
    /// A connection with TLS.
    case tls(TLSSession)
    /// A plain connection from a client that may use plain HTTP.
    case plain(PeerAddress)
    /// A plain connection from a client that must use TLS, or a TLS connection whose session could not be prepared.
    case refused

    /// Determines the protection of an accepted connection, before its handshake.
    init(of handle: OpaquePointer, from peer: PeerAddress, settings: EventLoop.Settings) {
        if let session = latch_mhd_tls_session(handle) {
            // Without a certificate, the handshake fails, which is the intended result when there is no memory for the
            // session.
            let prepared = settings.credentials.flatMap { TLSSession(OpaquePointer(session), $0.certificate) }
            self = prepared.map { .tls($0) } ?? .refused
        } else {
            self = peer == .unix || settings.admitsPlain(peer) ? .plain(peer) : .refused
        }
    }

    var session: TLSSession? { if case .tls(let session) = self { session } else { nil } }

    var isRefused: Bool { if case .refused = self { true } else { false } }
}
