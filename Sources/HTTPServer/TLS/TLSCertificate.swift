import CGnuTLS
public import FoundationEssentials
import Glibc

/// A certificate with its chain and private key, ready to be shown to clients, and what an operator wants to know of it.
///
/// The key lives in GnuTLS's memory only and goes with the value; nothing here tells it.
///
/// Source: GnuTLS manual, "Certificate credentials" and `gnutls_certificate_set_x509_key_mem2`; RFC 5280 §4.1.2.
public final class TLSCertificate: @unchecked Sendable {  // GnuTLS only reads credentials once they are made.
    /// The SHA-256 of the server's own certificate: 32 pairs of upper-case hexadecimal digits, parted by colons.
    public let fingerprint: String
    /// The DNS names and IP addresses it holds for; the common name when it has none.
    public let names: [String]
    /// When it begins to hold.
    public let notBefore: Date
    /// When it ceases to hold.
    public let notAfter: Date
    let credentials: OpaquePointer

    /// Takes a certificate and its key.
    ///
    /// - Parameters:
    ///   - certificate: PEM: the server's certificate first, then the rest of its chain.
    ///   - key: PEM, without a passphrase.
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
        // GnuTLS 3.7.9 looks a few bytes past the end of some broken keys, so one with a NUL behind it is lent to it.
        let lent = UnsafeMutableRawBufferPointer.allocate(byteCount: key.count + 1, alignment: 1)
        defer {
            if let start = lent.baseAddress { explicit_bzero(start, lent.count) }
            lent.deallocate()
        }
        lent.copyMemory(from: key)
        lent[key.count] = 0
        var key = datum(UnsafeRawBufferPointer(rebasing: lent[..<key.count]))
        // It also proves that the key is the certificate's.
        let result = gnutls_certificate_set_x509_key_mem2(credentials, &certificate, &key, GNUTLS_X509_FMT_PEM, nil, 0)
        guard result < 0 else { return }
        switch result {
        case GNUTLS_E_CERTIFICATE_KEY_MISMATCH: throw .mismatch
        case GNUTLS_E_DECRYPTION_FAILED: throw .encryptedKey
        default:
            // One call reads both files and its error does not say which: the certificates are read again alone.
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

    /// Why bytes are no certificate with its key.
    enum Refusal: Error {
        /// The certificates cannot be read; GnuTLS's words.
        case certificate(String)
        /// The key cannot be read; GnuTLS's words.
        case key(String)
        /// The key needs a passphrase.
        case encryptedKey
        /// The key is another certificate's.
        case mismatch
        /// No memory.
        case memory
    }
}
