public import Wire

/// The keys of a signer, in the order it gives them.
///
/// Source: RFC 7517 §5.
public struct JSONWebKeySet: Sendable {
    /// The keys that are understood.
    public let keys: [JSONWebKey]

    /// The most keys that a set may hold.
    public static let maximumCount = 64

    /// Makes a set.
    public init(_ keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// Reads a set; a key of an unknown type, or one that cannot be used, is left out, as the standard asks.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed`` when the bytes are no JSON object with an array
    ///   `keys`, or there are more than ``maximumCount``.
    public init(parsing bytes: [UInt8]) throws(JOSEError) {
        guard let value = try? JSONValue(parsing: bytes), let elements = value["keys"]?.array else {
            throw JOSEError(.malformed, "A key set is no JSON object with an array 'keys'.")
        }
        guard elements.count <= Self.maximumCount else {
            throw JOSEError(.malformed, "A key set holds more than \(Self.maximumCount) keys.")
        }
        keys = elements.compactMap { try? JSONWebKey(parsing: $0) }
    }

    /// The keys that a signature may be checked with.
    ///
    /// - Parameters:
    ///   - keyID: The signature's `kid`; without one every key fits that the algorithm fits.
    ///   - algorithm: The signature's algorithm.
    /// - Returns: The keys in the set's order.
    public func candidates(keyID: String?, algorithm: SignatureAlgorithm) -> [JSONWebKey] {
        keys.filter { $0.allows(algorithm) && (keyID == nil || $0.keyID == keyID) }
    }

    /// The set as JSON, public members only.
    public var json: JSONValue { ["keys": .array(keys.map(\.json))] }
}
