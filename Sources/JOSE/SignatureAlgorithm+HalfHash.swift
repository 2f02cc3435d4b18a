import COpenSSL
package import Crypto

extension SignatureAlgorithm {
    /// Returns the left half of the hash of `secret` in base64url, as used in `at_hash` and `c_hash`. The hash is
    /// SHA-256, except for Ed25519, which uses SHA-512.
    ///
    /// Source: OpenID Connect Core §3.1.3.6; RFC 8032 §5.1 for Ed25519's hash function.
    package func halfHash(of secret: Secret) -> String {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let function = self == .edDSA ? EVP_sha512() : EVP_sha256()
        let status = secret.withUnsafeBytes { bytes in
            EVP_Digest(bytes.baseAddress, bytes.count, &digest, &count, function, nil)
        }
        precondition(status == 1, "OpenSSL has no SHA-2.")
        return Base64URL.encode(Array(digest.prefix(Int(count) / 2)))
    }
}
