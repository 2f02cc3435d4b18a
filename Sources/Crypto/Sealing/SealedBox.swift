import CSodium

/// Encryption for the owner of a private key: anyone who has the public key can seal, and only the owner can open.
///
/// A new key pair is created for each box, so the sender cannot open it afterwards.
///
/// Source: `crypto_box_seal(3)` of libsodium: X25519 and XSalsa20-Poly1305.
package enum SealedBox {
    /// The number of bytes in a private key and in a public key.
    package static let keyCount = 32
    /// The difference in length between a box and its plaintext, in bytes.
    package static let overhead = 48

    /// Returns the public key of a private key. Any ``keyCount`` random bytes are a private key.
    ///
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/invalidKey``.
    package static func publicKey(of privateKey: Secret) throws(CryptoError) -> [UInt8] {
        try check(privateKey.count)
        return [UInt8](unsafeUninitializedCapacity: keyCount) { output, count in
            privateKey.withUnsafeBytes {
                _ = crypto_scalarmult_base(output.baseAddress!, $0.assumingMemoryBound(to: UInt8.self).baseAddress!)
            }
            count = keyCount
        }
    }

    /// Seals `plaintext` for the owner of a key pair.
    ///
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/invalidKey``.
    package static func seal(_ plaintext: [UInt8], for publicKey: [UInt8]) throws(CryptoError) -> [UInt8] {
        try check(publicKey.count)
        var status: Int32 = -1
        let box = [UInt8](unsafeUninitializedCapacity: plaintext.count + overhead) { output, count in
            status = crypto_box_seal(output.baseAddress!, plaintext, UInt64(plaintext.count), publicKey)
            count = status == 0 ? plaintext.count + overhead : 0
        }
        guard status == 0 else { throw invalidKey }
        return box
    }

    /// Opens a box.
    ///
    /// - Returns: The complete plaintext. The caller must wipe it.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/invalidKey``, ``CryptoError/Code/tooShort``, or
    ///   ``CryptoError/Code/cannotOpen`` when the box was sealed for another key or was modified.
    package static func open(_ box: [UInt8], with privateKey: Secret) throws(CryptoError) -> [UInt8] {
        let publicKey = try publicKey(of: privateKey)
        guard box.count >= overhead else {
            throw CryptoError(
                .tooShort, "Could not open a sealed box: it has \(box.count) bytes, fewer than \(overhead).")
        }
        var isGenuine = false
        let plaintext = [UInt8](unsafeUninitializedCapacity: box.count - overhead) { output, count in
            privateKey.withUnsafeBytes {
                isGenuine =
                    crypto_box_seal_open(
                        output.baseAddress, box, UInt64(box.count), publicKey,
                        $0.assumingMemoryBound(to: UInt8.self).baseAddress!) == 0
            }
            count = isGenuine ? box.count - overhead : 0
        }
        guard isGenuine else {
            throw CryptoError(.cannotOpen, "Could not open a sealed box: it was sealed for another key, or modified.")
        }
        return plaintext
    }

    private static var invalidKey: CryptoError {
        CryptoError(.invalidKey, "Could not use a key for sealing: it is not a key of \(keyCount) bytes.")
    }

    private static func check(_ count: Int) throws(CryptoError) {
        Sodium.prepare()
        guard count == keyCount else { throw invalidKey }
    }
}
