import CSodium

/// The hash function SHA-256.
///
/// No function allocates memory, because a gateway hashes a token on every request.
///
/// Source: FIPS 180-4 §6.2; `crypto_hash_sha256`.
package enum SHA256 {
    /// Returns the digest of `bytes`.
    package static func digest(_ bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBufferPointer(digest)
    }

    /// Returns the digest of the UTF-8 bytes of `string`. They are not copied if they are contiguous, as in native
    /// Swift strings.
    package static func digest(_ string: String) -> SHA256Digest {
        var string = string
        return string.withUTF8(digest)
    }

    /// Returns the digest of `secret` without copying its bytes.
    package static func digest(_ secret: Secret) -> SHA256Digest {
        secret.withUnsafeBytes { digest($0.assumingMemoryBound(to: UInt8.self)) }
    }

    private static func digest(_ bytes: UnsafeBufferPointer<UInt8>) -> SHA256Digest {
        var words: SHA256Digest.Words = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { output in
            _ = crypto_hash_sha256(
                output.baseAddress!.assumingMemoryBound(to: UInt8.self), bytes.baseAddress, UInt64(bytes.count))
        }
        return SHA256Digest(words: words)
    }
}
