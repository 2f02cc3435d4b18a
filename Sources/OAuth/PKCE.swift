public import Crypto

/// Proof key for code exchange: who asks for a code proves that they are the one who redeems it.
///
/// Source: RFC 7636.
public enum PKCE {
    /// The secret that stays with the asker.
    public struct Verifier: Sendable, Equatable {
        /// 43 to 128 unreserved characters.
        public let secret: Secret

        /// Makes a verifier of 43 characters from 32 random bytes.
        ///
        /// Source: RFC 7636 §4.1.
        public init() {
            secret = Secret(Base64URL.encode(SecureRandom.bytes(32)))
        }

        /// Takes a verifier; nil unless it has 43 to 128 unreserved characters.
        ///
        /// Source: RFC 7636 §4.1.
        public init?(_ text: String) {
            guard (43...128).contains(text.utf8.count), text.utf8.allSatisfy(isUnreserved) else { return nil }
            secret = Secret(text)
        }

        /// The challenge to send with the request, by S256.
        ///
        /// Source: RFC 7636 §4.2.
        public var challenge: Challenge {
            Challenge(text: Base64URL.encode(SHA256.digest(secret).bytes))
        }
    }

    /// What the server is shown first. Its method is S256; `plain` is not spoken.
    ///
    /// Source: RFC 7636 §4.2 and §7.2.
    public struct Challenge: Sendable, Hashable {
        /// The method's name on the wire.
        public static let method = "S256"

        /// 43 characters of base64url.
        public let text: String

        fileprivate init(text: String) {
            self.text = text
        }

        /// Takes a challenge; nil unless it is 32 bytes in base64url.
        public init?(_ text: String) {
            guard Base64URL.decode(text)?.count == 32 else { return nil }
            self.text = text
        }

        /// Whether `verifier` belongs to this challenge; in constant time.
        ///
        /// Source: RFC 7636 §4.6.
        public func matches(_ verifier: Verifier) -> Bool {
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
