import CSodium

/// The keyed hash HMAC-SHA-256: an authentication code, and a way to derive values that are unpredictable without the
/// key.
///
/// Source: RFC 2104 §2; `crypto_auth_hmacsha256_init`.
package enum HMACSHA256 {
    /// Returns the code of `bytes` with `key`, which may have any length.
    package static func code(of bytes: [UInt8], key: Secret) -> SHA256Digest {
        Sodium.prepare()
        var state = crypto_auth_hmacsha256_state()
        defer { withUnsafeMutableBytes(of: &state) { sodium_memzero($0.baseAddress!, $0.count) } }
        key.withBytes { _ = crypto_auth_hmacsha256_init(&state, $0, $0.count) }
        _ = crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        var words: SHA256Digest.Words = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { output in
            _ = crypto_auth_hmacsha256_final(&state, output.baseAddress!.assumingMemoryBound(to: UInt8.self))
        }
        return SHA256Digest(words: words)
    }
}
