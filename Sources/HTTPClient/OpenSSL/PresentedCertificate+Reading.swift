import CLibrary
import COpenSSL
import FoundationEssentials

extension PresentedCertificate {
    /// Reads the fields that are shown to a person. Returns nil if `certificate` has no readable dates.
    init?(_ certificate: Certificate) {
        let pointer = certificate.pointer
        guard let notBefore = Self.date(X509_get0_notBefore(pointer)),
            let notAfter = Self.date(X509_get0_notAfter(pointer)),
            let fingerprint = Certificate.fingerprint(of: pointer)
        else { return nil }
        let names = Self.alternativeNames(of: pointer)
        self.init(
            subject: Self.text(X509_get_subject_name(pointer)), issuer: Self.text(X509_get_issuer_name(pointer)),
            notBefore: notBefore, notAfter: notAfter, dnsNames: names.dns, ipAddresses: names.addresses,
            fingerprint: fingerprint, isSelfSigned: X509_self_signed(pointer, 1) == 1)
    }

    /// Returns a name as text.
    ///
    /// Source: `X509_NAME_print_ex`(3) in the form of RFC 2253.
    private static func text(_ name: OpaquePointer?) -> String {
        guard let name, let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        latch_x509_name_print(bio, name)
        var start: UnsafeMutablePointer<CChar>?
        let count = latch_bio_contents(bio, &start)
        guard let start else { return "" }
        let bytes = UnsafeRawBufferPointer(start: start, count: Int(count))
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }

    private static func alternativeNames(of certificate: OpaquePointer) -> (dns: [String], addresses: [String]) {
        guard let names = latch_x509_alternative_names(certificate) else { return ([], []) }
        defer { GENERAL_NAMES_free(names) }
        var dns: [String] = []
        var addresses: [String] = []
        for index in 0..<latch_general_names_count(names) {
            var kind: Int32 = 0
            var count: Int32 = 0
            guard let start = latch_general_name_bytes(names, index, &kind, &count) else { continue }
            let bytes = UnsafeBufferPointer(start: start, count: Int(count))
            if kind == GEN_DNS {
                dns.append(String(decoding: bytes, as: UTF8.self))
            } else if let text = addressText(bytes) {
                addresses.append(text)
            }
        }
        return (dns, addresses)
    }

    private static func addressText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard bytes.count == 4 || bytes.count == 16,
            inet_ntop(family, bytes.baseAddress, &text, socklen_t(text.count)) != nil
        else { return nil }
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
    }
}
