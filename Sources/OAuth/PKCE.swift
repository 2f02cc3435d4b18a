package import Crypto

/// Proof key for code exchange. A client that redeems a code proves that it requested the code.
///
/// Source: RFC 7636.
package enum PKCE {
    /// The secret that the client keeps until it redeems the code.
    package struct Verifier: Sendable, Equatable {
        /// The secret: 43 to 128 unreserved characters.
        package let secret: Secret

        /// Makes a random verifier of 43 characters, from 32 bytes.
        ///
        /// Source: RFC 7636 §4.1.
        package init() {
            secret = Secret(Base64URL.encode(SecureRandom.bytes(32)))
        }

        /// Makes a verifier from text. Nil unless it has 43 to 128 unreserved characters.
        ///
        /// Source: RFC 7636 §4.1.
        package init?(_ text: String) {
            guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(isUnreserved) else { return nil }
            secret = Secret(text)
        }

        /// The S256 challenge to send with the request.
        ///
        /// Source: RFC 7636 §4.2.
        package var challenge: Challenge {
            Challenge(text: Base64URL.encode(SHA256.digest(secret).bytes))
        }
    }

    /// The hash of the verifier, sent with the authorization request. Only the method S256 is supported, not `plain`.
    ///
    /// Source: RFC 7636 §4.2 and §7.2.
    package struct Challenge: Sendable, Hashable {
        /// The name of the method in requests.
        package static let method = "S256"

        /// The challenge: 43 characters of base64url.
        package let text: String

        fileprivate init(text: String) {
            self.text = text
        }

        /// Makes a challenge from text. Nil unless it is 32 bytes in base64url.
        package init?(_ text: String) {
            guard Base64URL.decode(text)?.count == 32 else { return nil }
            self.text = text
        }

        /// Returns whether `verifier` belongs to this challenge. Takes constant time.
        ///
        /// Source: RFC 7636 §4.6.
        package func matches(_ verifier: Verifier) -> Bool {
            constantTimeEqual(Array(text.utf8), Array(verifier.challenge.text.utf8))
        }
    }
}

private func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"):
        true
    default: "-._~".utf8.contains(byte)
    }
}
