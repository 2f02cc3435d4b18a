public import Crypto
public import Wire

/// A private key to sign with.
public final class SigningKey: Sendable {
    /// The algorithm that it signs by.
    public let algorithm: SignatureAlgorithm
    /// The public half, with its `kid` and `alg`.
    public let publicKey: JSONWebKey
    let key: EVPKey

    private init(_ key: EVPKey, _ type: KeyType, _ algorithm: SignatureAlgorithm, keyID: String?) {
        self.key = key
        self.algorithm = algorithm
        let named = keyID ?? JSONWebKey(key, type, keyID: nil, algorithm: algorithm).thumbprint
        publicKey = JSONWebKey(key, type, keyID: named, algorithm: algorithm)
    }

    /// Makes a new key: RSA of 2048 bits, P-256 or Ed25519.
    ///
    /// - Parameters:
    ///   - algorithm: What it shall sign by.
    ///   - keyID: Its name; the key's thumbprint unless told.
    /// - Returns: A key that nobody else has.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL cannot.
    public static func generate(_ algorithm: SignatureAlgorithm, keyID: String? = nil) throws(JOSEError) -> SigningKey {
        guard let key = EVPKey(for: algorithm), let type = key.type else {
            throw JOSEError(.failed, "Could not make a key for \(algorithm.rawValue): OpenSSL refused.")
        }
        return SigningKey(key, type, algorithm, keyID: keyID)
    }

    /// Takes a private key in PEM form, not encrypted.
    ///
    /// - Parameters:
    ///   - pem: PKCS#8, or OpenSSL's own forms.
    ///   - keyID: Its name; the key's thumbprint unless told.
    ///   - algorithm: What it shall sign by; unless told `RS256`, `ES256` or `EdDSA`, by the key's type.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed``, ``JOSEError/Code/unsupported`` for a key that does
    ///   not fit, or ``JOSEError/Code/weak``.
    public convenience init(
        pem: Secret, keyID: String? = nil, algorithm: SignatureAlgorithm? = nil
    ) throws(JOSEError) {
        guard let key = EVPKey(pem: pem) else {
            throw JOSEError(
                .malformed, "Could not read the private key: it is no PEM text, or is encrypted; give it as PKCS#8.")
        }
        guard let type = key.type, type.algorithms.contains(algorithm ?? type.algorithms[0]) else {
            throw JOSEError(
                .unsupported,
                "Could not use the private key: it is none for \(algorithm?.rawValue ?? "RSA, P-256 or Ed25519").")
        }
        guard type != .rsa || key.bits >= JSONWebKey.minimumModulusBits else {
            throw JOSEError(
                .weak, "Could not use the private key: RSA needs \(JSONWebKey.minimumModulusBits) bits; make a new one."
            )
        }
        self.init(key, type, algorithm ?? type.algorithms[0], keyID: keyID)
    }

    /// The same key under the same name, for another algorithm that fits its type, as `PS256` besides `RS256`.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/unsupported`` for one that does not fit.
    public convenience init(_ other: SigningKey, for algorithm: SignatureAlgorithm) throws(JOSEError) {
        let type = other.publicKey.type
        guard type.algorithms.contains(algorithm) else {
            throw JOSEError(.unsupported, "Could not use the key for \(algorithm.rawValue): it is of another type.")
        }
        self.init(other.key, type, algorithm, keyID: other.publicKey.keyID)
    }

    /// The public half as a JSON web key.
    public var publicJSON: JSONValue { publicKey.json }

    /// Signs a payload.
    ///
    /// - Parameters:
    ///   - payload: What is signed.
    ///   - type: The header's `typ`.
    /// - Returns: The compact form: header, payload and signature, parted by dots.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL cannot.
    ///
    /// Source: RFC 7515 §5.1 and §7.1.
    public func sign(payload: [UInt8], type: String = "JWT") throws(JOSEError) -> String {
        let header: JSONValue = [
            "alg": .string(algorithm.rawValue), "kid": .string(publicKey.keyID ?? ""), "typ": .string(type),
        ]
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(payload)
        return input + "." + Base64URL.encode(try signature(of: Array(input.utf8)))
    }

    /// The bare signature over some bytes, in the form that JOSE has for the algorithm.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/failed`` when OpenSSL cannot.
    public func signature(of message: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard let signature = Signatures.make(message, by: key, algorithm) else {
            throw JOSEError(.failed, "Could not sign by \(algorithm.rawValue): OpenSSL refused.")
        }
        return signature
    }
}
