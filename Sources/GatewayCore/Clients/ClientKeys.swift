import HTTPMessages
package import JOSE

/// The public keys with which statements that a client signed are verified.
package struct ClientKeys: Sendable, Equatable {
    /// The maximum number of keys. A statement is verified with at most ``JSONWebKeySet/maximumTries`` of them.
    package static let maximumCount = 8
    /// The maximum length of a set as text, in bytes.
    package static let maximumBytes = 16_384

    /// The supported algorithms, for people.
    package static let algorithms = "RS256, PS256, ES256 or EdDSA"

    /// The keys as a JSON Web Key Set, with public members only.
    package let text: String

    /// Reads a JSON Web Key Set. Private members and keys that are not for signatures are left out.
    ///
    /// Nil when the text is not a set, or when it has no supported key or more than ``maximumCount``.
    ///
    /// Source: RFC 7517 §5.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maximumBytes, let parsed = try? JSONWebKeySet(parsing: Array(text.utf8)) else {
            return nil
        }
        let usable = parsed.keys.filter { key in SignatureAlgorithm.allCases.contains { key.allows($0) } }
        guard (1...Self.maximumCount).contains(usable.count) else { return nil }
        self.text = String(decoding: JSONWebKeySet(usable).json.encoded(), as: UTF8.self)
    }

    /// The keys.
    package var set: JSONWebKeySet { (try? JSONWebKeySet(parsing: Array(text.utf8))) ?? JSONWebKeySet([]) }
}
