import COpenSSL

/// The hash function SHA-1 in incremental form, only for checksums that a protocol requires, never for security.
///
/// SHA-1 is not collision-resistant. It is sufficient to detect transmission errors.
///
/// Source: FIPS 180-4 §6.1; EVP_DigestUpdate(3).
package struct InsecureSHA1: ~Copyable {
    private let context: OpaquePointer

    /// Starts a digest. Returns nil when memory cannot be allocated or OpenSSL is configured to refuse SHA-1.
    package init?() {
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, EVP_sha1(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes to the digest.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the 20 bytes of the digest.
    package consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }

    /// Returns the digest of a text in UTF-8. Nil when ``init()`` fails.
    package static func digest(_ text: String) -> [UInt8]? {
        guard var hash = Self() else { return nil }
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
