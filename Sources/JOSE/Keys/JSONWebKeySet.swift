package import HTTPMessages

/// The keys of a signer, in the order of the set.
///
/// Source: RFC 7517 §5.
package struct JSONWebKeySet: Sendable {
    /// The supported keys.
    package let keys: [JSONWebKey]

    /// The maximum number of keys in a set.
    package static let maximumCount = 64

    /// Creates a set.
    package init(_ keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// The maximum number of keys with which one signature is verified.
    package static let maximumTries = 4

    /// Parses a set. Keys that are unsupported or invalid are skipped, as the standard requires.
    ///
    /// - Parameters:
    ///   - bytes: The set.
    ///   - maximumBits: The maximum size of an RSA modulus, in bits. Default: ``JSONWebKey/maximumModulusBits``.
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed`` when the bytes are not a JSON object with an
    ///   array `keys`, or when there are more than ``maximumCount`` keys.
    package init(
        parsing bytes: [UInt8], maximumBits: Int = JSONWebKey.maximumModulusBits
    ) throws(JOSEError) {
        guard let value = try? JSONValue(parsing: bytes, repairsText: false), let elements = value["keys"]?.array else {
            throw JOSEError(.malformed, "A key set is not a JSON object with an array 'keys'.")
        }
        guard elements.count <= Self.maximumCount else {
            throw JOSEError(.malformed, "A key set contains more than \(Self.maximumCount) keys.")
        }
        keys = elements.compactMap { try? JSONWebKey(parsing: $0, maximumBits: maximumBits) }
    }

    /// Returns the keys that may verify a signature.
    ///
    /// - Parameters:
    ///   - keyID: The `kid` of the signature. When nil, every key that allows the algorithm is returned.
    ///   - algorithm: The algorithm of the signature.
    /// - Returns: The keys, in the order of the set.
    package func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { $0.allows(algorithm) && (keyID == nil || $0.keyID == keyID) }
    }

    /// Returns whether a key of the set made a signature.
    ///
    /// At most ``maximumTries`` keys are tried, the first ones of those that ``candidates(keyID:algorithm:)`` returns. So
    /// a signer with more keys of one type names the key in `kid`.
    ///
    /// - Parameters:
    ///   - signature: The signature.
    ///   - onTry: Called before each verification, which is the expensive step. Default: does nothing.
    /// - Returns: Whether one of the tried keys made it.
    package func isSigned(_ signature: JSONWebSignature, onTry: () -> Void = {}) -> Bool {
        guard let algorithm = signature.header.algorithm else { return false }
        let tried = candidates(keyID: signature.header.keyID, algorithm: algorithm).prefix(Self.maximumTries)
        return tried.contains { key in
            onTry()
            return signature.isValid(by: key)
        }
    }

    /// The set as JSON, with public members only.
    package var json: JSONValue { ["keys": .array(keys.map(\.json))] }
}
