@testable import HTTPClient
@testable import HTTPServer

extension FuzzedParser {
    static let certificates = [
        FuzzedParser("certificate") { input in
            let certificates = [Certificate(der: input)].compactMap(\.self) + Certificate.all(inPEM: input)
            for certificate in certificates {
                guard let presented = PresentedCertificate(certificate) else { continue }
                try require(presented.fingerprint.bytes.count == 32, "A fingerprint is not 32 bytes long.")
                let again = Certificate(der: Certificate.der(of: certificate.pointer))
                try require(again != nil, "A certificate cannot be read after it was written.")
            }
        },
        // The gateway's certificate and key, in one text.
        FuzzedParser("tls-certificate") { input in
            let made = input.withUnsafeBytes { try? TLSCertificate(certificate: $0, key: $0) }
            try require(made?.fingerprint.isEmpty != true, "A certificate has no fingerprint.")
        },
        FuzzedParser("fingerprint") { input in
            guard let fingerprint = CertificateFingerprint(input.text) else { return }
            try require(
                CertificateFingerprint(fingerprint.description) == fingerprint,
                "A fingerprint is not the same when it is read again.")
        },
    ]
}
