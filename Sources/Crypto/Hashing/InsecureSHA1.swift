import COpenSSL

/// The hash function SHA-1, fed piece by piece: for checksums that a protocol asks for, and for nothing that must be safe.
///
/// Two different inputs with one digest can be made by anybody; as a checksum against broken transfers it does.
///
/// Source: FIPS 180-4 §6.1; EVP_DigestUpdate(3).
public struct InsecureSHA1: ~Copyable {
    private let context: OpaquePointer

    /// Begins a digest; nil when there is no memory for one, or this machine's OpenSSL is set to refuse SHA-1.
    public init?() {
        guard let context = EVP_MD_CTX_new() else { return nil }
        guard EVP_DigestInit_ex(context, EVP_sha1(), nil) == 1 else {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
            return nil
        }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds bytes to what is hashed.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        _ = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The 20 bytes of the digest.
    public consuming func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 20)
        _ = EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }

    /// The digest of a text's UTF-8; nil where there is none, see ``init()``.
    public static func digest(_ text: String) -> [UInt8]? {
        guard var hash = Self() else { return nil }
        Array(text.utf8).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
