public import FoundationEssentials

/// The unverified certificate of a server, to be shown to a person and pinned by its ``fingerprint``.
public struct PresentedCertificate: Sendable, Hashable {
    /// The subject, such as `CN=photos.example,O=Home`.
    public var subject: String
    /// The issuer, in the same form.
    public var issuer: String
    /// The start of the validity period.
    public var notBefore: Date
    /// The end of the validity period.
    public var notAfter: Date
    /// The host names in the certificate, which may begin with `*.`.
    public var dnsNames: [String]
    /// The IP addresses in the certificate.
    public var ipAddresses: [String]
    /// The SHA-256 of the DER form.
    public var fingerprint: CertificateFingerprint
    /// Whether the certificate is signed by its own key.
    public var isSelfSigned: Bool
}
