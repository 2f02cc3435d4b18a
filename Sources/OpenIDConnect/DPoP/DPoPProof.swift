package import Crypto
package import FoundationEssentials
import HTTPMessages
import JOSE

/// A signed proof that the sender of a request has a private key.
///
/// The proof names the method and the address of the request, so that it is of no use for another one. It is not bound
/// to a moment: the recipient checks the time and remembers the id. Nothing in it is trusted until
/// ``verifiedThumbprint(onVerification:)`` has returned; a recipient compares everything else before.
///
/// Source: RFC 9449 §4.
package struct DPoPProof: Sendable {
    /// `jti`: the id of the proof, at most ``maximumIDCount`` bytes.
    package let id: String
    /// `htm`: the method of the request.
    package let method: String
    /// `htu`: the address of the request.
    package let address: DPoPAddress
    /// `iat`: when the proof was made.
    package let issued: Date
    /// `ath`: the SHA-256 of the access token. Nil for a request without one.
    package let tokenHash: SHA256Digest?
    /// `nonce`: the value that the server asked for.
    package let nonce: String?
    private let key: JSONValue
    private let signature: JSONWebSignature

    /// The `typ` of a proof.
    package static let type = "dpop+jwt"
    /// The header field with the proof.
    package static let field = "DPoP"
    /// The header field with the nonce of a server.
    package static let nonceField = "DPoP-Nonce"
    /// The maximum length of a proof, in bytes. A key and a signature of RSA with 4,096 bits fit.
    package static let maximumCount = 4_096
    /// The maximum length of an id, in bytes.
    package static let maximumIDCount = 256
    /// The names of the accepted signature algorithms, the best first.
    package static let algorithms = ["ES256", "EdDSA", "PS256", "RS256"]

    /// Why a text is no proof, as a sentence for the developers of a client.
    package struct Refusal: Error, Sendable {
        /// The sentence. It repeats nothing that was sent.
        package let sentence: StaticString

        /// Creates a refusal.
        package init(_ sentence: StaticString) { self.sentence = sentence }
    }

    /// Parses a proof without reading its key or verifying its signature.
    ///
    /// - Parameter text: The value of the header field, of any length.
    /// - Throws: ``Refusal``.
    ///
    /// Source: RFC 9449 §4.3, checks 2 to 5 and 7.
    package init(parsing text: String) throws(Refusal) {
        guard text.utf8.count <= Self.maximumCount else { throw Refusal("The proof is longer than 4096 bytes.") }
        guard let signature = try? JSONWebSignature(parsing: text) else { throw Refusal("The proof is not a JWT.") }
        let header = signature.header
        guard header.type == Self.type else { throw Refusal("The typ of the proof is not dpop+jwt.") }
        guard header.algorithm != nil, Self.algorithms.contains(header.algorithmName) else {
            throw Refusal("The alg of the proof is not ES256, EdDSA, PS256 or RS256.")
        }
        guard let value = header.key, value.members != nil else { throw Refusal("The proof has no jwk.") }
        guard !JSONWebKey.isPrivate(value) else { throw Refusal("The jwk of the proof is a private key.") }
        guard let claims = try? JSONValue(parsing: signature.payload, repairsText: false), claims.members != nil else {
            throw Refusal("The claims of the proof are not a JSON object.")
        }
        guard let id = claims["jti"]?.string, (1...Self.maximumIDCount).contains(id.utf8.count) else {
            throw Refusal("The proof has no jti of 1 to 256 bytes.")
        }
        guard let method = claims["htm"]?.string else { throw Refusal("The proof has no htm.") }
        guard let address = claims["htu"]?.string.flatMap(DPoPAddress.init) else {
            throw Refusal("The htu of the proof is missing or not a web address.")
        }
        guard let issued = claims["iat"]?.number, issued.isFinite, abs(issued) < 1e12 else {
            throw Refusal("The proof has no iat.")
        }
        if let hash = claims["ath"] {
            guard let bytes = hash.string.flatMap(Base64URL.decode), let digest = SHA256Digest(bytes: bytes) else {
                throw Refusal("The ath of the proof is not a SHA-256 in base64url.")
            }
            tokenHash = digest
        } else {
            tokenHash = nil
        }
        if let nonce = claims["nonce"] {
            guard let text = nonce.string else { throw Refusal("The nonce of the proof is not a string.") }
            self.nonce = text
        } else {
            nonce = nil
        }
        self.id = id
        self.method = method
        self.address = address
        self.issued = Date(timeIntervalSince1970: issued)
        self.signature = signature
        key = value
    }

    /// Verifies the signature with the key in the header. This is the only check that takes more than a few microseconds.
    ///
    /// - Parameter onVerification: Called before the verification. Not called if the key is not supported. Default: does
    ///   nothing.
    /// - Returns: The SHA-256 of the public key in base64url: 43 characters.
    /// - Throws: ``Refusal``.
    ///
    /// Source: RFC 9449 §4.3, check 6; RFC 7638 §3.
    package func verifiedThumbprint(onVerification: () -> Void = {}) throws(Refusal) -> String {
        guard let key = try? JSONWebKey(parsing: key) else {
            throw Refusal("The jwk of the proof is not a public key that is supported.")
        }
        onVerification()
        guard signature.isValid(by: key) else {
            throw Refusal("The signature of the proof is not valid for its jwk.")
        }
        return key.thumbprint
    }
}
