import COpenSSL

/// Creates and verifies signatures with OpenSSL, in the formats of JOSE.
///
/// Source: RFC 7518 §3.3 to §3.5; RFC 8037 §3.1; EVP_DigestSign(3), EVP_DigestVerify(3).
enum Signatures {
    static func make(_ message: [UInt8], by key: EVPKey, _ algorithm: SignatureAlgorithm) -> [UInt8]? {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var options: OpaquePointer?
        guard EVP_DigestSignInit(context, &options, digest(algorithm), nil, key.pointer) == 1,
            setOptions(options, algorithm)
        else { return nil }
        var count = 0
        guard EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return nil }
        signature.removeLast(signature.count - count)
        return algorithm == .es256 ? ECDSASignature(der: signature)?.raw : signature
    }

    static func isValid(
        _ signature: [UInt8], over message: [UInt8], by key: EVPKey, _ algorithm: SignatureAlgorithm
    ) -> Bool {
        let context = EVP_MD_CTX_new()
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        var options: OpaquePointer?
        let encoded = algorithm == .es256 ? ECDSASignature(raw: signature)?.der : signature
        guard let encoded, EVP_DigestVerifyInit(context, &options, digest(algorithm), nil, key.pointer) == 1,
            setOptions(options, algorithm)
        else { return false }
        return EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }

    /// Returns the hash function for an algorithm. Nil for Ed25519, which includes its own.
    private static func digest(_ algorithm: SignatureAlgorithm) -> OpaquePointer? {
        algorithm == .edDSA ? nil : EVP_sha256()
    }

    private static func setOptions(_ options: OpaquePointer?, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm {
        case .es256, .edDSA: true
        case .rs256: EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PADDING) == 1
        case .ps256:
            EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(options, EVP_sha256()) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }
}
