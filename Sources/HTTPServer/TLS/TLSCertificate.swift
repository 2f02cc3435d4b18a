import CGnuTLS
import CLibrary
package import FoundationEssentials

/// A certificate with its chain and private key, ready to be used for connections, and its properties for operators.
///
/// The key is only in GnuTLS's memory and is released with the object. No property reveals it.
///
/// Source: GnuTLS manual, "Certificate credentials" and `gnutls_certificate_set_x509_key_mem2`; RFC 5280 §4.1.2.
package final class TLSCertificate: @unchecked Sendable {  // GnuTLS only reads credentials after their creation.
    /// The SHA-256 of the server's certificate: 32 pairs of upper-case hexadecimal digits, separated by colons.
    package let fingerprint: String
    /// The DNS names and IP addresses of the certificate. Its common name when it has none.
    package let names: [String]
    /// The start of the validity period.
    package let notBefore: Date
    /// The end of the validity period.
    package let notAfter: Date
    let credentials: OpaquePointer

    /// Creates a certificate from PEM data.
    ///
    /// - Parameters:
    ///   - certificate: The server's certificate in PEM, followed by the rest of its chain.
    ///   - key: The private key in PEM, without a passphrase.
    /// - Throws: ``Refusal``.
    init(certificate: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer) throws(Refusal) {
        var made: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&made) == 0, let made else { throw .memory }
        do throws(Refusal) {
            try Self.load(certificate, key, into: made)
            let facts = try CertificateFacts(of: made)
            fingerprint = facts.fingerprint
            names = facts.names
            notBefore = facts.notBefore
            notAfter = facts.notAfter
            credentials = made
        } catch {
            gnutls_certificate_free_credentials(made)
            throw error
        }
    }

    deinit {
        gnutls_certificate_free_credentials(credentials)
    }

    private static func load(
        _ certificate: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, into credentials: OpaquePointer
    ) throws(Refusal) {
        var certificate = datum(certificate)
        // GnuTLS 3.7.9 reads a few bytes past the end of some malformed keys, so it gets a copy that is followed by a
        // NUL.
        let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + 1, alignment: 1)
        defer {
            if let start = lent.baseAddress { explicit_bzero(start, lent.count) }
            lent.deallocate()
        }
        lent.copyMemory(from: key)
        lent[key.count] = 0
        var key = datum(UnsafeRawBufferPointer(rebasing: lent[..<key.count]))
        // This call also checks that the key belongs to the certificate.
        let result = gnutls_certificate_set_x509_key_mem2(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, nil, 0)
        guard result < 0 else { return }
        switch result {
        case GNUTLS_E_CERTIFICATE_KEY_MISMATCH: throw .mismatch
        case GNUTLS_E_DECRYPTION_FAILED: throw .encryptedKey
        default:
            // One call parses both files, and its error does not tell which one is invalid. The certificates are
            // therefore parsed again alone.
            throw isCertificateList(&certificate) ? .key(reason(result)) : .certificate(reason(result))
        }
    }

    private static func isCertificateList(_ pem: inout gnutls_datum_t) -> Bool {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        guard gnutls_x509_crt_list_import2(&list, &count, &pem, GNUTLS_X509_FMT_PEM, 0) >= 0, let list else {
            return false
        }
        for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
        latch_gnutls_free(list)
        return true
    }

    private static func datum(_ bytes: UnsafeRawBufferPointer) -> gnutls_datum_t {
        let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
        return gnutls_datum_t(data: start, size: UInt32(clamping: bytes.count))
    }

    private static func reason(_ code: Int32) -> String {
        gnutls_strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// The reason why data is not a certificate with its key.
    enum Refusal: Error {
        /// The certificates are invalid. Contains GnuTLS's message.
        case certificate(String)
        /// The key is invalid. Contains GnuTLS's message.
        case key(String)
        /// The key is encrypted with a passphrase.
        case encryptedKey
        /// The key belongs to another certificate.
        case mismatch
        /// There is not enough memory.
        case memory
    }
}
