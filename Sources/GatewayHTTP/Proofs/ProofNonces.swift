import Crypto
import FoundationEssentials

/// The nonces that clients must put into their proofs. They are computed from the time and a key that all gateways
/// share, so nothing is stored.
///
/// A nonce is 32 characters of base64url, and is valid for two to four minutes.
///
/// Source: RFC 9449 §8 and §9.
struct ProofNonces: Sendable {
    private let key: Secret

    /// How long one nonce is sent, in seconds.
    private static let interval = 120.0
    private static let purpose = Array("latchstring proof nonce 1".utf8)

    init(key: Secret) {
        self.key = key
    }

    /// Returns the nonce of a time.
    func current(at now: Date) -> String { nonce(Self.number(now)) }

    /// Whether a nonce is that of a time, of the interval before it, or of the interval after it, because the clock of
    /// another gateway may be ahead.
    func isValid(_ text: String, at now: Date) -> Bool {
        let number = Self.number(now)
        return (number - 1...number + 1).contains { constantTimeEqual(Array(nonce($0).utf8), Array(text.utf8)) }
    }

    private static func number(_ now: Date) -> Int64 { Int64((now.timeIntervalSince1970 / interval).rounded(.down)) }

    private func nonce(_ number: Int64) -> String {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        let code = HMACSHA256.code(of: Self.purpose + bytes, key: key).bytes
        return Base64URL.encode(bytes + Array(code.prefix(16)))
    }
}
