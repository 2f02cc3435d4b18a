import CSodium

/// Authenticated encryption with a key of 32 bytes: XChaCha20-Poly1305.
///
/// A random nonce of 24 bytes is chosen for each box, so a key needs no counter.
///
/// Source: draft-irtf-cfrg-xchacha-03 §2; `crypto_aead_xchacha20poly1305_ietf_encrypt`.
package enum Sealing {
    /// The number of bytes in a key.
    package static let keyCount = 32
    /// The difference in length between a box and its plaintext: 24 bytes for the nonce and 16 for the tag.
    package static let overhead = nonceCount + tagCount

    private static let nonceCount = 24
    private static let tagCount = 16

    /// Seals `plaintext`.
    ///
    /// The box is `nonce ‖ ciphertext ‖ tag`, ``overhead`` bytes longer than the plaintext. Two calls with equal
    /// arguments return different boxes.
    ///
    /// - Parameters:
    ///   - plaintext: Any number of bytes.
    ///   - key: ``keyCount`` bytes.
    ///   - context: Authenticated but not stored. ``open(_:key:context:)`` needs the same bytes.
    /// - Returns: The box.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/invalidKey``.
    ///
    /// Source: draft-irtf-cfrg-xchacha-03 §2.
    package static func seal(
        _ plaintext: [UInt8], key: Secret, context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try check(key)
        let nonce = SecureRandom.bytes(nonceCount)
        let sealed = [UInt8](unsafeUninitializedCapacity: plaintext.count + tagCount) { output, count in
            var written: UInt64 = 0
            key.withUnsafeBytes {
                _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
                    output.baseAddress!, &written, plaintext, UInt64(plaintext.count), context, UInt64(context.count),
                    nil, nonce, $0.assumingMemoryBound(to: UInt8.self).baseAddress!)
            }
            count = Int(written)
        }
        return nonce + sealed
    }

    /// Opens a box that ``seal(_:key:context:)`` sealed with the same key and context.
    ///
    /// - Parameters:
    ///   - box: `nonce ‖ ciphertext ‖ tag`.
    ///   - key: ``keyCount`` bytes.
    ///   - context: The bytes that were passed to ``seal(_:key:context:)``.
    /// - Returns: The complete plaintext. No part of a modified box is ever returned.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/tooShort`` for fewer than ``overhead`` bytes,
    ///   ``CryptoError/Code/cannotOpen`` for a different key or context or a modified box,
    ///   ``CryptoError/Code/invalidKey`` for a key of the wrong length.
    ///
    /// Source: draft-irtf-cfrg-xchacha-03 §2.
    package static func open(_ box: [UInt8], key: Secret, context: [UInt8] = []) throws(CryptoError) -> [UInt8] {
        try check(key)
        guard box.count >= overhead else {
            throw CryptoError(
                .tooShort, "Could not open a sealed box: it has \(box.count) bytes, fewer than \(overhead).")
        }
        guard let plaintext = opened(box, key: key, context: context) else {
            throw CryptoError(.cannotOpen, "Could not open a sealed box: it was sealed with another key, or modified.")
        }
        return plaintext
    }

    private static func opened(_ box: [UInt8], key: Secret, context: [UInt8]) -> [UInt8]? {
        var isGenuine = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: box.count - overhead) { output, count in
            var written: UInt64 = 0
            let status = box.withUnsafeBufferPointer { box in
                key.withUnsafeBytes { key in
                    crypto_aead_xchacha20poly1305_ietf_decrypt(
                        output.baseAddress, &written, nil, box.baseAddress! + nonceCount,
                        UInt64(box.count - nonceCount), context, UInt64(context.count), box.baseAddress!,
                        key.assumingMemoryBound(to: UInt8.self).baseAddress!)
                }
            }
            isGenuine = status == 0
            count = isGenuine ? Int(written) : 0
        }
        return isGenuine ? plaintext : nil
    }

    private static func check(_ key: Secret) throws(CryptoError) {
        Sodium.prepare()
        guard key.count == keyCount else {
            throw CryptoError(.invalidKey, "Could not use a sealing key: it has \(key.count) bytes, not \(keyCount).")
        }
    }
}
