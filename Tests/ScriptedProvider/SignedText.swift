import Crypto
import JOSE

/// Creates signed texts, valid and invalid ones.
enum SignedText {
    static func make(header: [UInt8], payload: [UInt8], signature: ([UInt8]) throws -> [UInt8]) rethrows -> String {
        let message = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return message + "." + Base64URL.encode(try signature(Array(message.utf8)))
    }

    /// Returns a signature with HMAC-SHA256, as for `HS256`.
    ///
    /// Source: RFC 2104 §2.
    static func authenticated(_ message: [UInt8], by secret: [UInt8]) -> [UInt8] {
        let key = secret.count > 64 ? SHA256.digest(secret).bytes : secret
        let block = key + [UInt8](repeating: 0, count: 64 - key.count)
        let inner = SHA256.digest(block.map { $0 ^ 0x36 } + message).bytes
        return SHA256.digest(block.map { $0 ^ 0x5C } + inner).bytes
    }
}
