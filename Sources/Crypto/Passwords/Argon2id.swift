import CSodium

/// Derives keys from passphrases.
///
/// A call uses as much time and memory as its parameters specify. Do not call it on the shared thread pool.
///
/// Source: RFC 9106; `crypto_pwhash_argon2id`.
package enum Argon2id {
    /// The length of a salt, in bytes.
    package static let saltCount = 16

    /// Derives a key. Equal arguments give equal keys.
    ///
    /// - Parameters:
    ///   - passphrase: 0 to ``PasswordHash/maximumPasswordCount`` bytes.
    ///   - salt: ``saltCount`` random bytes, stored with the sealed data.
    ///   - parameters: The memory and passes to use.
    ///   - count: The length of the key: at least 16 bytes.
    /// - Returns: The key.
    /// - Throws: ``CryptoError`` with code ``CryptoError/Code/tooLong`` for the passphrase,
    ///   ``CryptoError/Code/tooShort`` for the salt or `count`, ``CryptoError/Code/outOfMemory``.
    ///
    /// Source: RFC 9106 §3.1 with one lane and version 19.
    package static func key(
        passphrase: Secret, salt: [UInt8], parameters: Argon2idParameters = .default, count: Int = Sealing.keyCount
    ) throws(CryptoError) -> Secret {
        try PasswordHash.check(passphrase)
        guard salt.count == saltCount else {
            throw CryptoError(.tooShort, "Could not derive a key: the salt has \(salt.count) bytes, not \(saltCount).")
        }
        guard (16...1 << 20).contains(count) else {
            throw CryptoError(.tooShort, "Could not derive a key of \(count) bytes: use 16 bytes to 1 MiB.")
        }
        var status: Int32 = -1
        let key = Secret(count: count) { output in
            passphrase.withUnsafeBytes {
                status = crypto_pwhash_argon2id(
                    output.baseAddress!.assumingMemoryBound(to: UInt8.self), UInt64(count),
                    $0.assumingMemoryBound(to: CChar.self).baseAddress!, UInt64($0.count), salt,
                    UInt64(parameters.iterations), parameters.memoryKiB * 1024, crypto_pwhash_argon2id_ALG_ARGON2ID13)
            }
        }
        guard status == 0 else { throw PasswordHash.outOfMemory(parameters) }
        return key
    }
}
