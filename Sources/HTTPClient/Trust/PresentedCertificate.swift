public import FoundationEssentials

/// What a server shows for itself, unverified: to be looked at by a person, and pinned by its ``fingerprint``.
public struct PresentedCertificate: Sendable, Equatable {
    /// Who it says it is, as `CN=photos.example,O=Home`.
    public var subject: String
    /// Who signed it, in the same form.
    public var issuer: String
    /// Its first moment.
    public var notBefore: Date
    /// Its last moment.
    public var notAfter: Date
    /// The host names it is for, a leading `*.` included.
    public var dnsNames: [String]
    /// The IP addresses it is for.
    public var ipAddresses: [String]
    /// The SHA-256 of its DER form.
    public var fingerprint: CertificateFingerprint
    /// Whether its own key signed it.
    public var isSelfSigned: Bool
}
