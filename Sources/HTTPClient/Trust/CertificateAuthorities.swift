/// The certificate authorities that are trusted.
public enum CertificateAuthorities: Sendable, Equatable {
    /// The authorities of the operating system, as OpenSSL finds them. `SSL_CERT_FILE` and `SSL_CERT_DIR` override
    /// them.
    case system
    /// The authorities of the operating system and those in a PEM file.
    case systemAnd(pemFile: String)
    /// Only the authorities in a PEM file.
    case only(pemFile: String)

    /// The path of the PEM file. Nil when there is none.
    public var pemFile: String? {
        switch self {
        case .system: nil
        case .systemAnd(let path), .only(let path): path
        }
    }
}
