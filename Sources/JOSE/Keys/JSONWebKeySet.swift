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

    /// Parses a set. Keys that are unsupported or invalid are skipped, as the standard requires.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed`` when the bytes are not a JSON object with an
    ///   array `keys`, or when there are more than ``maximumCount`` keys.
    package init(parsing bytes: [UInt8]) throws(JOSEError) {
        guard let value = try? JSONValue(parsing: bytes, repairsText: false), let elements = value["keys"]?.array else {
            throw JOSEError(.malformed, "A key set is not a JSON object with an array 'keys'.")
        }
        guard elements.count <= Self.maximumCount else {
            throw JOSEError(.malformed, "A key set contains more than \(Self.maximumCount) keys.")
        }
        keys = elements.compactMap { try? JSONWebKey(parsing: $0) }
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

    /// The set as JSON, with public members only.
    package var json: JSONValue { ["keys": .array(keys.map(\.json))] }
}
