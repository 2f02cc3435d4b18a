import COpenSSL
package import Crypto

extension SigningKey {
    /// Returns the private key in the format that ``init(pem:keyID:algorithm:)`` reads: unencrypted PKCS#8 in PEM.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL fails.
    ///
    /// Source: RFC 5208 §5; PEM_write_bio_PKCS8PrivateKey(3).
    package func privatePEM() throws(JOSEError) -> Secret {
        guard let pem = key.privatePEM else {
            throw JOSEError(.failed, "Could not encode the private key: OpenSSL failed.")
        }
        return pem
    }
}

extension EVPKey {
    /// The private key in PEM. Nil when OpenSSL fails.
    fileprivate var privatePEM: Secret? {
        // A memory BIO of this type overwrites its memory before freeing it.
        guard let bio = BIO_new(BIO_s_secmem()) else { return nil }
        defer {
            BIO_free(bio)
            ERR_clear_error()
        }
        guard PEM_write_bio_PKCS8PrivateKey(bio, pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = Int(latch_bio_contents(bio, &start))
        guard let start, count > 0 else { return nil }
        var bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
        defer { wipe(&bytes) }
        return Secret(bytes: bytes)
    }
}
