import COpenSSL

/// An X.509 certificate of OpenSSL, released when the object is deallocated.
final class Certificate: @unchecked Sendable {  // Immutable; OpenSSL counts references atomically.
    let pointer: OpaquePointer

    /// Creates a certificate that takes ownership of one reference to `pointer`.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { X509_free(pointer) }

    /// Creates a certificate from its DER form. Returns nil when it is malformed.
    convenience init?(der: [UInt8]) {
        let parsed = der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
            var start = bytes.baseAddress
            return d2i_X509(nil, &start, bytes.count)
        }
        guard let parsed else { return nil }
        self.init(owning: parsed)
    }

    /// Returns all certificates in a PEM text, in order. Other blocks are skipped.
    static func all(inPEM text: [UInt8]) -> [Certificate] {
        guard let bio = memoryBIO(text) else { return [] }
        defer {
            BIO_free(bio)
            ERR_clear_error()
        }
        var found: [Certificate] = []
        while let next = PEM_read_bio_X509(bio, nil, nil, nil) { found.append(Certificate(owning: next)) }
        return found
    }

    /// Returns the DER form of a certificate without taking ownership of it.
    static func der(of pointer: OpaquePointer) -> [UInt8] {
        let count = Int(i2d_X509(pointer, nil))
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            var start = buffer.baseAddress
            written = max(0, Int(i2d_X509(pointer, &start)))
        }
    }

    /// Returns the SHA-256 of the DER form of a certificate without taking ownership of it.
    static func fingerprint(of pointer: OpaquePointer) -> CertificateFingerprint? {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard X509_digest(pointer, EVP_sha256(), &bytes, &count) == 1 else { return nil }
        return CertificateFingerprint(bytes: Array(bytes.prefix(Int(count))))
    }
}

/// Returns an OpenSSL reader over a copy of `bytes`. The caller must free it.
func memoryBIO(_ bytes: [UInt8]) -> OpaquePointer? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    guard !bytes.isEmpty else { return bio }
    guard BIO_write(bio, bytes, Int32(clamping: bytes.count)) == bytes.count else {
        BIO_free(bio)
        return nil
    }
    return bio
}
