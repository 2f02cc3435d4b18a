import Crypto

/// The value that ties a callback to the request that caused it; compared in constant time.
///
/// Source: RFC 6749 §10.12; RFC 8252 §8.9.
public struct State: Sendable, Equatable, CustomStringConvertible {
    /// The value as sent.
    public let text: String

    /// Makes 32 random characters.
    public init() {
        text = Base64URL.encode(SecureRandom.bytes(24))
    }

    /// Takes a value as received.
    public init(_ text: String) {
        self.text = text
    }

    /// Never the value.
    public var description: String { "‹state›" }

    /// Whether both are the same; the time depends on the counts only.
    public static func == (one: State, other: State) -> Bool {
        constantTimeEqual(Array(one.text.utf8), Array(other.text.utf8))
    }
}
