import Crypto
package import HTTPMessages

/// A public key for verifying signatures: RSA, P-256 or Ed25519.
///
/// Source: RFC 7517 §4; RFC 7518 §6; RFC 8037 §2.
package struct JSONWebKey: Sendable {
    /// `kid`: the name by which signatures refer to the key.
    package let keyID: String?
    /// `alg`: the only algorithm for which the key may be used. Nil allows all algorithms of its type.
    package let algorithm: SignatureAlgorithm?
    /// `use`: `sig` or `enc`. Nil when not specified.
    package let use: String?
    /// Whether `use` and `key_ops` allow the key to verify signatures.
    let isForSignatures: Bool
    let type: KeyType
    let key: EVPKey

    /// The minimum size of an RSA modulus, in bits.
    ///
    /// Source: RFC 7518 §3.3.
    static let minimumModulusBits = 2048
    /// The maximum size of an RSA modulus in a key that anybody may send, in bits. A signature of a longer key takes
    /// several times as long to verify.
    package static let maximumModulusBits = 4096
    /// The maximum size of an RSA modulus in a key of an identity provider, which the operator has chosen, in bits.
    package static let maximumProviderModulusBits = 8192
    /// The maximum length of an RSA exponent, in bytes. The usual exponent is 65,537.
    static let maximumExponentBytes = 4

    /// Whether a key in JSON has members of a private or secret key.
    ///
    /// Source: RFC 7518 §6.2.2, §6.3.2 and §6.4.1; RFC 8037 §2.
    package static func isPrivate(_ value: JSONValue) -> Bool {
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { value[$0] != nil }
    }

    /// Parses a key. Private members are ignored.
    ///
    /// - Parameters:
    ///   - value: The key.
    ///   - maximumBits: The maximum size of an RSA modulus, in bits. Default: ``maximumModulusBits``.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/unsupported`` for an unsupported type, curve or `alg`,
    ///   ``JOSEError/Code/weak`` for an RSA modulus outside the limits, otherwise ``JOSEError/Code/malformed``.
    package init(parsing value: JSONValue, maximumBits: Int = maximumModulusBits) throws(JOSEError) {
        guard let kty = value["kty"]?.string else {
            throw JOSEError(.malformed, "A key has no type: 'kty' is missing or not a string.")
        }
        guard let type = KeyType(rawValue: kty) else {
            throw JOSEError(.unsupported, "A key is of a type other than RSA, EC or OKP.")
        }
        self.type = type
        key = try Self.key(type, value, maximumBits)
        keyID = try Self.text("kid", value)
        use = try Self.text("use", value)
        algorithm = try Self.algorithm(value, type)
        let operations = value["key_ops"]?.array?.compactMap(\.string)
        isForSignatures = (use == nil || use == "sig") && operations?.contains("verify") != false
    }

    init(_ key: EVPKey, _ type: KeyType, keyID: String?, algorithm: SignatureAlgorithm) {
        self.key = key
        self.type = type
        self.keyID = keyID
        self.algorithm = algorithm
        use = "sig"
        isForSignatures = true
    }

    /// Returns whether this key may verify signatures with `algorithm`.
    package func allows(_ algorithm: SignatureAlgorithm) -> Bool {
        isForSignatures && type.algorithms.contains(algorithm) && (self.algorithm ?? algorithm) == algorithm
    }

    /// The key as JSON, with public members only.
    package var json: JSONValue {
        var members = material
        if let keyID { members.append(.init("kid", .string(keyID))) }
        if let use { members.append(.init("use", .string(use))) }
        if let algorithm { members.append(.init("alg", .string(algorithm.rawValue))) }
        return .object(members)
    }

    /// The SHA-256 of the required members in base64url, a name that can be computed from the key.
    ///
    /// Source: RFC 7638 §3; RFC 8037 §2.
    package var thumbprint: String {
        let sorted = material.sorted { $0.name < $1.name }
        return Base64URL.encode(SHA256.digest(JSONValue.object(sorted).encoded()).bytes)
    }

    /// The type and the numbers of the public key.
    var material: [JSONValue.Member] {
        func member(_ name: String, _ bytes: [UInt8]?) -> JSONValue.Member {
            .init(name, .string(Base64URL.encode(bytes ?? [])))
        }
        let kty = JSONValue.Member("kty", .string(type.rawValue))
        return switch type {
        case .rsa: [kty, member("n", key.number("n")), member("e", key.number("e"))]
        case .ellipticCurve:
            [
                kty, .init("crv", "P-256"), member("x", key.number("qx", count: 32)),
                member("y", key.number("qy", count: 32)),
            ]
        case .octetKeyPair: [kty, .init("crv", "Ed25519"), member("x", key.rawPublicKey)]
        }
    }
}
