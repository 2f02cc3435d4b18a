import HTTPServer

/// A listen address as written by an operator, before it is known whether there is a certificate.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// The ways to choose TLS in an address.
    enum Scheme: Sendable, Hashable {
        /// `http://`: never TLS.
        case plain
        /// `https://`: TLS.
        case tls
        /// No scheme: TLS when there is a certificate.
        case unspecified
    }

    /// The scheme of the address.
    let scheme: Scheme
    /// The listener without TLS.
    let plain: Listener

    init(_ plain: Listener, _ scheme: Scheme = .unspecified) {
        self.plain = plain
        self.scheme = scheme
    }

    /// Returns the listener for the address. Unix sockets never use TLS.
    func listener(hasCertificate: Bool) -> Listener {
        guard case .tcp(let host, let port) = plain, scheme == .tls || scheme == .unspecified && hasCertificate else {
            return plain
        }
        return .tls(host: host, port: port)
    }

    /// The address as written in the configuration.
    package var description: String {
        switch scheme {
        case .plain: "http://\(plain)"
        case .tls: "https://\(plain)"
        case .unspecified: "\(plain)"
        }
    }
}
