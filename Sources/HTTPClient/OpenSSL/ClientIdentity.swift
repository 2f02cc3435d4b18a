import COpenSSL
import Crypto

/// A client certificate with its key and intermediates, checked to belong together.
///
/// All problems with the files are detected here, before any connection. OpenSSL never asks for a passphrase on the
/// terminal.
final class ClientIdentity: @unchecked Sendable {  // Immutable; OpenSSL counts references atomically.
    private let certificate: Certificate
    private let chain: [Certificate]
    private let key: OpaquePointer

    /// Creates an identity from the files in `source`.
    convenience init(_ source: ClientCertificate) throws(TransportError) {
        defer { ERR_clear_error() }
        switch source {
        case .pem(let certificate, let key, let passphrase):
            try self.init(certificatePath: certificate, keyPath: key, passphrase)
        case .pkcs12(let path, let passphrase):
            try self.init(pkcs12Path: path, passphrase)
        }
    }

    private init(_ certificate: Certificate, _ chain: [Certificate], owning key: OpaquePointer) {
        self.certificate = certificate
        self.chain = chain
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes connections of `context` present this certificate when the server requests one.
    func install(in context: OpaquePointer) -> Bool {
        SSL_CTX_use_certificate(context, certificate.pointer) == 1
            && SSL_CTX_use_PrivateKey(context, key) == 1
            && chain.allSatisfy { latch_ssl_add_chain_certificate(context, $0.pointer) == 1 }
    }

    private convenience init(
        certificatePath: String, keyPath: String, _ passphrase: Secret?
    ) throws(TransportError) {
        let certificates = Certificate.all(inPEM: try Self.read(certificatePath))
        guard let leaf = certificates.first else {
            throw Self.unusable(
                certificatePath, "it contains no PEM certificate; specify a file that begins with 'BEGIN CERTIFICATE'")
        }
        let key = try Self.privateKey(keyPath, passphrase)
        guard X509_check_private_key(leaf.pointer, key) == 1 else {
            EVP_PKEY_free(key)
            throw Self.unusable(
                certificatePath,
                "the key in '\(keyPath)' belongs to another certificate; specify the key of this certificate")
        }
        self.init(leaf, Array(certificates.dropFirst()), owning: key)
    }

    private static func privateKey(_ path: String, _ passphrase: Secret?) throws(TransportError) -> OpaquePointer {
        let text = try read(path)
        guard let bio = memoryBIO(text) else { throw unusable(path, "there is not enough memory") }
        defer { BIO_free(bio) }
        // Always passes a passphrase, even an empty one. Without any, OpenSSL would ask on the terminal.
        let key = withCString(passphrase) { PEM_read_bio_PrivateKey(bio, nil, nil, $0) }
        if let key { return key }
        guard String(decoding: text, as: UTF8.self).contains("PRIVATE KEY-----") else {
            throw unusable(path, "it contains no PEM private key; specify a file that begins with 'BEGIN PRIVATE KEY'")
        }
        throw unusable(
            path,
            passphrase == nil
                ? "the key is encrypted or damaged; specify its passphrase"
                : "the passphrase is wrong, or the key is damaged; check the passphrase")
    }

    private convenience init(pkcs12Path path: String, _ passphrase: Secret?) throws(TransportError) {
        let bytes = try Self.read(path)
        let box = bytes.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_PKCS12(nil, &start, bytes.count)
        }
        guard let box else { throw Self.unusable(path, "it is not a PKCS#12 file; specify a '.p12' or '.pfx' file") }
        defer { PKCS12_free(box) }
        guard Self.withCString(passphrase, { PKCS12_verify_mac(box, $0, -1) }) == 1 else {
            throw Self.unusable(path, "the passphrase is wrong; check it")
        }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        guard Self.withCString(passphrase, { PKCS12_parse(box, $0, &key, &leaf, &others) }) == 1 else {
            throw Self.unusable(
                path,
                "its encryption is too old for this OpenSSL; convert it with 'openssl pkcs12 -legacy' and "
                    + "export it again"
            )
        }
        defer { latch_x509_stack_free(others) }
        let chain = (0..<latch_x509_stack_count(others)).compactMap { index -> Certificate? in
            guard let one = latch_x509_stack_value(others, index), X509_up_ref(one) == 1 else { return nil }
            return Certificate(owning: one)
        }
        guard let key, let leaf else {
            EVP_PKEY_free(key)
            X509_free(leaf)
            throw Self.unusable(path, "it does not contain a certificate with its key; export both together")
        }
        self.init(Certificate(owning: leaf), chain, owning: key)
    }

    private static func read(_ path: String) throws(TransportError) -> [UInt8] {
        switch LocalFile.contents(of: path) {
        case .success(let bytes): return bytes
        case .failure(let problem):
            throw TransportError(
                .clientCertificate,
                "Could not read the client certificate '\(path)': \(problem); check the path and its permissions.",
                cause: problem)
        }
    }

    private static func unusable(_ path: String, _ reason: String) -> TransportError {
        TransportError(.clientCertificate, "Could not use the client certificate '\(path)': \(reason).")
    }

    /// Calls `body` with the passphrase, or an empty one, as a C string, and erases that copy afterwards.
    private static func withCString<R>(_ passphrase: Secret?, _ body: (UnsafeMutablePointer<CChar>) -> R) -> R {
        let bytes = passphrase?.withBytes { $0 } ?? []
        let text = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { text[index] = CChar(bitPattern: byte) }
        text[bytes.count] = 0
        defer {
            OPENSSL_cleanse(text.baseAddress, text.count)
            text.deallocate()
        }
        return body(text.baseAddress.unsafelyUnwrapped)
    }
}
