package import Crypto
package import HTTPMessages

/// A private key for signing.
package final class SigningKey: Sendable {
    /// The signature algorithm.
    package let algorithm: SignatureAlgorithm
    /// The public key, with its `kid` and `alg`.
    package let publicKey: JSONWebKey
    let key: EVPKey

    private init(_ key: EVPKey, type: KeyType, algorithm: SignatureAlgorithm, keyID: String?) {
        self.key = key
        self.algorithm = algorithm
        let named = keyID ?? JSONWebKey(key, type, keyID: nil, algorithm: algorithm).thumbprint
        publicKey = JSONWebKey(key, type, keyID: named, algorithm: algorithm)
    }

    /// Generates a key: RSA with 2048 bits, P-256 or Ed25519.
    ///
    /// - Parameters:
    ///   - algorithm: The signature algorithm.
    ///   - keyID: The name of the key. Default: its thumbprint.
    /// - Returns: A new random key.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL fails.
    package static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JOSEError) -> SigningKey
    {
        guard let key = EVPKey(for: algorithm), let type = key.type else {
            throw JOSEError(.failed, "Could not generate a key for \(algorithm.rawValue): OpenSSL failed.")
        }
        return SigningKey(key, type: type, algorithm: algorithm, keyID: keyID)
    }

    /// Creates a key from an unencrypted private key in PEM.
    ///
    /// - Parameters:
    ///   - pem: The private key in PKCS#8 or one of OpenSSL's own formats.
    ///   - keyID: The name of the key. Default: its thumbprint.
    ///   - algorithm: The signature algorithm. Default: `RS256`, `ES256` or `EdDSA`, depending on the key type.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed``, ``JOSEError/Code/unsupported`` for a key that
    ///   does not fit, or ``JOSEError/Code/weak``.
    package convenience init(
        pem: Secret, keyID: String? = nil, algorithm: SignatureAlgorithm? = nil
    ) throws(JOSEError) {
        guard let key = EVPKey(pem: pem) else {
            throw JOSEError(
                .malformed,
                "Could not read the private key: it is not PEM, or is encrypted; provide it as unencrypted PKCS#8.")
        }
        guard let type = key.type, type.algorithms.contains(algorithm ?? type.algorithms[0]) else {
            throw JOSEError(
                .unsupported,
                "Could not use the private key: it is not a key for \(algorithm?.rawValue ?? "RSA, P-256 or Ed25519").")
        }
        guard type != .rsa || key.bits >= JSONWebKey.minimumModulusBits else {
            throw JOSEError(
                .weak,
                "Could not use the private key: RSA needs \(JSONWebKey.minimumModulusBits) bits; create a new one."
            )
        }
        self.init(key, type: type, algorithm: algorithm ?? type.algorithms[0], keyID: keyID)
    }

    /// Creates a copy of a key with the same name for another algorithm of its type, such as `PS256` in addition to
    /// `RS256`.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/unsupported`` when the algorithm does not fit the key type.
    package convenience init(_ other: SigningKey, for algorithm: SignatureAlgorithm) throws(JOSEError) {
        let type = other.publicKey.type
        guard type.algorithms.contains(algorithm) else {
            throw JOSEError(.unsupported, "Could not use the key for \(algorithm.rawValue): it has another type.")
        }
        self.init(other.key, type: type, algorithm: algorithm, keyID: other.publicKey.keyID)
    }

    /// The public key as a JSON web key.
    package var publicJSON: JSONValue { publicKey.json }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: The bytes to sign.
    ///   - type: The `typ` of the header.
    ///   - embedsKey: Whether the header contains the public key instead of its name.
    /// - Returns: The compact serialization: header, payload and signature, separated by dots.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL fails.
    ///
    /// Source: RFC 7515 §5.1 and §7.1.
    package func sign(
        payload: [UInt8], type: String = "JWT", embedsKey: Bool = false
    ) throws(JOSEError) -> String {
        let key: JSONValue.Member =
            embedsKey ? .init("jwk", .object(publicKey.material)) : .init("kid", .string(publicKey.keyID ?? ""))
        let header = JSONValue.object([
            .init("alg", .string(algorithm.rawValue)), key, .init("typ", .string(type)),
        ])
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try signature(of: Array(input.utf8)))
    }

    /// Returns the raw signature of some bytes, in the format that JOSE defines for the algorithm.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL fails.
    package func signature(of message: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard let signature = Signatures.make(message, by: key, algorithm) else {
            throw JOSEError(.failed, "Could not sign with \(algorithm.rawValue): OpenSSL failed.")
        }
        return signature
    }
}
