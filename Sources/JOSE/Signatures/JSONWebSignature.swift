import Crypto
import Wire

/// A signed text in compact form, read but not believed: ``isValid(by:)`` says whether it may be.
///
/// Source: RFC 7515 §5.2; RFC 8725 §3 for what is refused.
public struct JSONWebSignature: Sendable {
    /// The header as the text has it.
    public struct Header: Sendable, Equatable {
        /// `alg` as written, which may be one that is never accepted.
        public let algorithmName: String
        /// `alg`, when it is one that is spoken; nil for `none`, `HS256` and every other.
        public var algorithm: SignatureAlgorithm? { SignatureAlgorithm(rawValue: algorithmName) }
        /// `kid`.
        public let keyID: String?
        /// `typ`.
        public let type: String?
    }

    /// The header.
    public let header: Header
    /// What was signed.
    public let payload: [UInt8]
    private let message: [UInt8]
    private let signature: [UInt8]

    /// The longest text that is read, in bytes.
    public static let maximumCount = 65_536

    /// Reads a signed text.
    ///
    /// - Throws: ``JOSEError`` with code ``JOSEError/Code/malformed``, or ``JOSEError/Code/unsupported`` for a header with
    ///   `crit`, since no extension is understood.
    public init(parsing compact: String) throws(JOSEError) {
        guard compact.utf8.count <= Self.maximumCount else {
            throw JOSEError(.malformed, "A signed text has more than \(Self.maximumCount) bytes.")
        }
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])), let signature = Base64URL.decode(String(parts[2]))
        else { throw JOSEError(.malformed, "A signed text is not three parts of base64url.") }
        header = try Self.header(head)
        self.payload = payload
        self.signature = signature
        message = Array(compact.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    }

    /// Whether `key` made the signature.
    ///
    /// The key decides which algorithms may be: one of its type and, if it names one, that one; whatever else the header
    /// says is false. `none` and `HS256` are no algorithm here.
    public func isValid(by key: JSONWebKey) -> Bool {
        guard let algorithm = header.algorithm, key.allows(algorithm) else { return false }
        return Signatures.isValid(signature, over: message, by: key.key, algorithm)
    }

    private static func header(_ bytes: [UInt8]) throws(JOSEError) -> Header {
        guard let value = try? JSONValue(parsing: bytes), let name = value["alg"]?.string else {
            throw JOSEError(.malformed, "A signed text's header is no JSON object with 'alg'.")
        }
        guard value["crit"] == nil else {
            throw JOSEError(.unsupported, "A signed text's header asks for an extension that is not known.")
        }
        for name in ["kid", "typ"] {
            guard let member = value[name], member.string == nil else { continue }
            throw JOSEError(.malformed, "A signed text's '\(name)' is no text.")
        }
        return Header(algorithmName: name, keyID: value["kid"]?.string, type: value["typ"]?.string)
    }
}
