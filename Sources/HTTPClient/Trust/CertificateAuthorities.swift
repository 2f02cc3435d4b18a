/// Whose word about a server's certificate is trusted.
public enum CertificateAuthorities: Sendable, Equatable {
    /// The operating system's authorities, as OpenSSL finds them; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
    case system
    /// The operating system's, and those in a PEM file.
    case systemAnd(pemFile: String)
    /// Only those in a PEM file.
    case only(pemFile: String)

    /// The PEM file's path, if there is one.
    public var pemFile: String? {
        switch self {
        case .system: nil
        case .systemAnd(let path), .only(let path): path
        }
    }
}
