import Crypto

/// The value that ties a callback to its request. Comparison takes constant time.
///
/// Source: RFC 6749 §10.12; RFC 8252 §8.9.
package struct State: Sendable, Equatable, CustomStringConvertible {
    /// The value as it is sent.
    package let text: String

    /// Makes a random value of 32 characters.
    package init() {
        text = Base64URL.encode(SecureRandom.bytes(24))
    }

    /// Makes a state from a received value.
    package init(_ text: String) {
        self.text = text
    }

    /// The text `‹state›`, never the value itself.
    package var description: String { "‹state›" }

    /// Returns whether two states are equal. The time depends only on their lengths.
    package static func == (one: State, other: State) -> Bool {
        constantTimeEqual(Array(one.text.utf8), Array(other.text.utf8))
    }
}
