public import Crypto

/// A certificate by which this client shows a server who it is, with the key behind it.
public enum ClientCertificate: Sendable {
    /// PEM files: the certificate, followed in the same file by its intermediates if it has any, and its private key;
    /// both may be one file. `passphrase` opens an encrypted key.
    case pem(certificate: String, key: String, passphrase: Secret?)
    /// A PKCS#12 file (`.p12`, `.pfx`) that holds certificate, key and intermediates.
    case pkcs12(path: String, passphrase: Secret?)
}
