public import Crypto

/// A certificate with which this client authenticates itself to a server, with its private key.
public enum ClientCertificate: Sendable {
    /// PEM files: the certificate, followed by its intermediates in the same file if it has any, and its private key.
    /// Both may be in one file. `passphrase` decrypts an encrypted key.
    case pem(certificate: String, key: String, passphrase: Secret?)
    /// A PKCS#12 file (`.p12`, `.pfx`) with certificate, key and intermediates.
    case pkcs12(path: String, passphrase: Secret?)
}
