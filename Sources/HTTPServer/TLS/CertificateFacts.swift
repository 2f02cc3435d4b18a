import CGnuTLS
import FoundationEssentials
import HTTPMessages

/// The properties of a certificate, read from loaded credentials.
///
/// Source: RFC 5280 §4.1.2.5 and §4.2.1.6; RFC 6125 §6.4.4 on the common name.
struct CertificateFacts {
    let fingerprint: String
    let names: [String]
    let notBefore: Date
    let notAfter: Date

    init(of credentials: OpaquePointer) throws(TLSCertificate.Refusal) {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        guard gnutls_certificate_get_x509_crt(credentials, 0, &list, &count) == 0, let list else { throw .memory }
        defer {
            for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
            latch_gnutls_free(list)
        }
        guard count > 0, let first = list[0] else { throw .certificate("the file contains no certificate") }
        fingerprint = Self.fingerprint(of: first)
        let alternatives = Self.alternativeNames(of: first)
        names = alternatives.isEmpty ? Self.commonName(of: first).map { [$0] } ?? [] : alternatives
        notBefore = Date(timeIntervalSince1970: Double(gnutls_x509_crt_get_activation_time(first)))
        notAfter = Date(timeIntervalSince1970: Double(gnutls_x509_crt_get_expiration_time(first)))
    }

    private static func fingerprint(of certificate: OpaquePointer) -> String {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        guard gnutls_x509_crt_get_fingerprint(certificate, GNUTLS_DIG_SHA256, &bytes, &count) == 0 else { return "" }
        return bytes.map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }

    private static func alternativeNames(of certificate: OpaquePointer) -> [String] {
        var names: [String] = []
        var bytes = [UInt8](repeating: 0, count: 1024)
        // Limited, because an endless list would be an error in the library, and no server certificate has 1000 names.
        for index in 0..<UInt32(1000) {
            var count = bytes.count
            let type = gnutls_x509_crt_get_subject_alt_name(certificate, index, &bytes, &count, nil)
            if type == GNUTLS_E_SHORT_MEMORY_BUFFER { continue }
            guard type >= 0 else { break }
            let name = bytes.prefix(count)
            switch UInt32(type) {
            case GNUTLS_SAN_DNSNAME.rawValue: names.append(String(decoding: name, as: UTF8.self))
            case GNUTLS_SAN_IPADDRESS.rawValue: if let ip = IPAddress(bytes: name) { names.append(ip.description) }
            default: break
            }
        }
        return names
    }

    private static func commonName(of certificate: OpaquePointer) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        var count = bytes.count
        let result = gnutls_x509_crt_get_dn_by_oid(certificate, latch_gnutls_common_name, 0, 0, &bytes, &count)
        return result == 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
