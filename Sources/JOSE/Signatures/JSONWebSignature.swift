import Crypto
package import HTTPMessages

/// A parsed JWS in compact serialization. It is not trusted until ``isValid(by:)`` has returned true.
///
/// Source: RFC 7515 §5.2; RFC 8725 §3 for the checks.
package struct JSONWebSignature: Sendable {
    /// The header of the text.
    package struct Header: Sendable, Equatable {
        /// The value of `alg`, which may be an algorithm that is never accepted.
        package let algorithmName: String
        /// The algorithm, if it is supported. Nil for `none`, `HS256` and all others.
        package var algorithm: SignatureAlgorithm? { SignatureAlgorithm(rawValue: algorithmName) }
        /// The value of `kid`.
        package let keyID: String?
        /// The value of `typ`.
        package let type: String?
        /// The value of `jwk`: a key that the sender names, which nothing vouches for.
        package let key: JSONValue?
    }

    /// The header.
    package let header: Header
    /// The signed bytes.
    package let payload: [UInt8]
    private let message: [UInt8]
    private let signature: [UInt8]

    /// The maximum length of a text, in bytes.
    package static let maximumCount = 65_536

    /// Parses a signed text without verifying it.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed``, or ``JOSEError/Code/unsupported`` for a header
    ///   with `crit`, because no extensions are supported.
    package init(parsing compact: String) throws(JOSEError) {
        guard compact.utf8.count <= Self.maximumCount else {
            throw JOSEError(.malformed, "A JWS has more than \(Self.maximumCount) bytes.")
        }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])), let signature = Base64URL.decode(String(parts[2]))
        else { throw JOSEError(.malformed, "A JWS is not three parts of base64url.") }
        header = try Self.header(head)
        self.payload = payload
        self.signature = signature
        message = Array(compact.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// Returns whether the signature is valid for `key`.
    ///
    /// The key determines the allowed algorithms: those of its type, or only its own algorithm if it names one. The
    /// result is false when the header has a different algorithm. `none` and `HS256` are never accepted.
    package func isValid(by key: JSONWebKey) -> Bool {
        guard let algorithm = header.algorithm, key.allows(algorithm) else { return false }
        return Signatures.isValid(signature, over: message, by: key.key, algorithm)
    }

    private static func header(_ bytes: [UInt8]) throws(JOSEError) -> Header {
        guard let value = try? JSONValue(parsing: bytes, repairsText: false), let name = value["alg"]?.string else {
            throw JOSEError(.malformed, "The header of a JWS is not a JSON object with 'alg'.")
        }
        guard value["crit"] == nil else {
            throw JOSEError(.unsupported, "The header of a JWS requires an unsupported extension.")
        }
        for name in ["kid", "typ"] {
            guard let member = value[name], member.string == nil else { continue }
            throw JOSEError(.malformed, "The '\(name)' of a JWS is not a string.")
        }
        return Header(
            algorithmName: name, keyID: value["kid"]?.string, type: value["typ"]?.string, key: value["jwk"])
    }
}
