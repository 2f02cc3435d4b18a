import COpenSSL
import Crypto

extension EVPKey {
    /// Creates a public RSA key from a big-endian modulus and exponent. Returns nil when OpenSSL rejects them.
    ///
    /// Source: EVP_PKEY-RSA(7).
    convenience init?(modulus: [UInt8], exponent: [UInt8]) {
        let n = BN_bin2bn(modulus, Int32(modulus.count), nil)
        let e = BN_bin2bn(exponent, Int32(exponent.count), nil)
        defer {
            BN_free(n)
            BN_free(e)
        }
        let pointer = Self.publicKey("RSA") { latch_parameters_push_rsa($0, n, e) == 1 }
        guard let pointer else { return nil }
        self.init(owning: pointer)
    }

    /// Creates a public P-256 key from two coordinates of 32 bytes. Returns nil when the point is not on the curve.
    ///
    /// Source: EVP_PKEY-EC(7).
    convenience init?(x: [UInt8], y: [UInt8]) {
        let point = [4] + x + y
        // The builder keeps a pointer to the point, not a copy.
        let pointer = point.withUnsafeBytes { point in
            Self.publicKey("EC") { latch_parameters_push_p256($0, point.baseAddress, point.count) == 1 }
        }
        guard let pointer else { return nil }
        self.init(owning: pointer)
    }

    /// Creates a public Ed25519 key from its 32 bytes. Returns nil when OpenSSL rejects them.
    convenience init?(ed25519 bytes: [UInt8]) {
        guard let pointer = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count) else {
            ERR_clear_error()
            return nil
        }
        self.init(owning: pointer)
    }

    private static func publicKey(_ type: String, parameters: (OpaquePointer) -> Bool) -> OpaquePointer? {
        let builder = OSSL_PARAM_BLD_new()
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer {
            OSSL_PARAM_BLD_free(builder)
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard let builder, parameters(builder), let list = OSSL_PARAM_BLD_to_param(builder) else { return nil }
        defer { OSSL_PARAM_free(list) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1, latch_evp_public_key_from(context, &pointer, list) == 1 else {
            return nil
        }
        return pointer
    }

    /// Generates a key for `algorithm`: RSA with 2048 bits, P-256 or Ed25519. Returns nil when OpenSSL fails.
    convenience init?(for algorithm: SignatureAlgorithm) {
        let type =
            switch algorithm {
            case .rs256, .ps256: "RSA"
            case .es256: "EC"
            case .edDSA: "ED25519"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, type, nil)
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_PKEY_keygen_init(context) == 1 else { return nil }
        if type == "RSA", EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) != 1 { return nil }
        if type == "EC", EVP_PKEY_CTX_set_group_name(context, "prime256v1") != 1 { return nil }
        var pointer: OpaquePointer?
        guard EVP_PKEY_generate(context, &pointer) == 1, let pointer else { return nil }
        self.init(owning: pointer)
    }

    /// Creates a private key from a PEM text. Returns nil when it is encrypted or invalid.
    convenience init?(pem: Secret) {
        let pointer = pem.withUnsafeBytes { text -> OpaquePointer? in
            let bio = BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count))
            defer { BIO_free(bio) }
            // Without a callback OpenSSL would ask for a passphrase on the terminal.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        ERR_clear_error()
        guard let pointer else { return nil }
        self.init(owning: pointer)
    }
}
