import HTTPClient
import HTTPMessages
import LatchKit
import Primitives
import Terminal

/// The text and JSON forms of a certificate, for comparison by a person.
struct CertificateText {
    private let certificate: PresentedCertificate

    init(_ certificate: PresentedCertificate) {
        self.certificate = certificate
    }

    /// The SHA-256 fingerprint with colons.
    var fingerprint: String { certificate.fingerprint.description }

    /// Subject, issuer, names, validity and fingerprint, indented.
    var lines: [String] {
        let names = (certificate.dnsNames + certificate.ipAddresses).joined(separator: ", ")
        return [
            "  Subject  \(certificate.subject.printable)",
            "  Issuer   " + (certificate.isSelfSigned ? "itself (self-signed)" : certificate.issuer.printable),
            "  For      \(names.isEmpty ? "no name" : names.printable)",
            "  Valid    \(certificate.notBefore.forPeople) to \(certificate.notAfter.forPeople)",
            "  SHA-256  \(fingerprint)",
        ]
    }

    /// The stable JSON members of the certificate.
    var json: JSONValue {
        .object([
            .init("subject", .string(certificate.subject)), .init("issuer", .string(certificate.issuer)),
            .init("dnsNames", .array(certificate.dnsNames.map { .string($0) })),
            .init("ipAddresses", .array(certificate.ipAddresses.map { .string($0) })),
            .init("notBefore", .string(certificate.notBefore.forPrograms)),
            .init("notAfter", .string(certificate.notAfter.forPrograms)),
            .init("sha256", .string(fingerprint)), .init("isSelfSigned", .bool(certificate.isSelfSigned)),
        ])
    }
}
