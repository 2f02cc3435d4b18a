import Crypto
import FoundationEssentials

/// The values of the opening handshake.
///
/// Source: RFC 6455 §4.
package enum WebSocketHandshake {
    /// The version of the protocol, the value of `Sec-WebSocket-Version`.
    package static let version = "13"

    /// Returns a new value of `Sec-WebSocket-Key`: 16 random bytes as base64.
    package static func key() -> String { Data(SecureRandom.bytes(16)).base64EncodedString() }

    /// Returns whether a value of `Sec-WebSocket-Key` is base64 of 16 bytes.
    package static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && Data(base64Encoded: text)?.count == 16
    }

    /// Returns the value of `Sec-WebSocket-Accept` for a key.
    ///
    /// Source: RFC 6455 §4.2.2, step 5.4.
    package static func accept(for key: String) -> String {
        guard let digest = InsecureSHA1.digest(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11") else {
            preconditionFailure("OpenSSL does not compute SHA-1, which WebSocket connections require.")
        }
        return Data(digest).base64EncodedString()
    }
}
