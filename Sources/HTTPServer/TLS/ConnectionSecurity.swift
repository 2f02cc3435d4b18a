import CMicroHTTPD

/// How one connection is kept from being read and changed on its way; settled when it is accepted.
enum ConnectionSecurity {
    /// TLS.
    case tls(TLSSession)
    /// Clear text, from somebody who may speak it.
    case plain(PeerAddress)
    /// Clear text, from somebody who may not.
    case refused

    /// Looks at an accepted connection, before its handshake.
    init(_ handle: OpaquePointer, _ peer: PeerAddress, _ settings: EventLoop.Settings) {
        if let session = latch_mhd_tls_session(handle) {
            // Without a certificate the handshake fails, which is right when there is no memory for one.
            let prepared = settings.credentials.flatMap { TLSSession(OpaquePointer(session), $0.certificate) }
            self = prepared.map { .tls($0) } ?? .refused
        } else {
            self = peer == .unix || settings.admitsPlain(peer) ? .plain(peer) : .refused
        }
    }

    var session: TLSSession? { if case .tls(let session) = self { session } else { nil } }

    var isRefused: Bool { if case .refused = self { true } else { false } }
}
