import COpenSSL

/// An OpenSSL key. The reference is released when the object is destroyed.
final class EVPKey: @unchecked Sendable {  // Immutable after creation. OpenSSL counts references atomically.
    let pointer: OpaquePointer

    /// Takes ownership of one reference to `pointer`.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { EVP_PKEY_free(pointer) }

    /// The type of the key. Nil when it is not supported.
    var type: KeyType? {
        if EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa }
        if EVP_PKEY_is_a(pointer, "ED25519") == 1 { return .octetKeyPair }
        return EVP_PKEY_is_a(pointer, "EC") == 1 && isOnP256 ? .ellipticCurve : nil
    }

    /// The size of the RSA modulus in bits.
    var bits: Int { Int(EVP_PKEY_get_bits(pointer)) }

    /// Returns an integer parameter of the key, big-endian, padded with leading zeros to `count` bytes if given.
    func number(_ name: String, count: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1, let number else { return nil }
        defer { BN_free(number) }
        let length = count ?? (Int(BN_num_bits(number)) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: length)
        return BN_bn2binpad(number, &bytes, Int32(length)) == length ? bytes : nil
    }

    /// The 32 bytes of an Ed25519 public key.
    var rawPublicKey: [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = bytes.count
        return EVP_PKEY_get_raw_public_key(pointer, &bytes, &count) == 1 && count == 32 ? bytes : nil
    }

    private var isOnP256: Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(pointer, &name, name.count, &count) == 1, count <= name.count else {
            return false
        }
        return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
    }
}
