import HTTPServer

/// Where to listen as an operator writes it, before it is known whether there is a certificate.
public struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// What was said about TLS.
    public enum Scheme: Sendable, Hashable {
        /// `http://`: never TLS.
        case plain
        /// `https://`: TLS.
        case tls
        /// Nothing: TLS when there is a certificate.
        case unsaid
    }

    /// What was said about TLS.
    public let scheme: Scheme
    /// The address as one of clear text.
    let plain: Listener

    init(_ plain: Listener, _ scheme: Scheme = .unsaid) {
        self.plain = plain
        self.scheme = scheme
    }

    /// The listener that it means; a Unix socket never speaks TLS.
    func listener(hasCertificate: Bool) -> Listener {
        guard case .tcp(let host, let port) = plain, scheme == .tls || scheme == .unsaid && hasCertificate else {
            return plain
        }
        return .tls(host: host, port: port)
    }

    /// The address as it is written.
    public var description: String {
        switch scheme {
        case .plain: "http://\(plain)"
        case .tls: "https://\(plain)"
        case .unsaid: "\(plain)"
        }
    }
}
