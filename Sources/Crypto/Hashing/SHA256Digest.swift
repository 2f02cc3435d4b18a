/// A SHA-256 digest of 32 bytes.
///
/// It is designed as a dictionary key: four words stored inline, compared completely and hashed by the first word,
/// whose bits are uniformly distributed. Comparison does not take constant time. Compare digests that must stay secret
/// with ``constantTimeEqual(_:_:)``.
package struct SHA256Digest: Hashable, Sendable {
    typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes in a digest.
    package static let count = 32

    // In memory order, so that the bytes can be copied out directly.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    init(words: Words) {
        (first, second, third, fourth) = words
    }

    /// Creates a digest from its 32 bytes. Returns nil for any other length.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        var words: Words = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.init(words: words)
    }

    /// The first eight bytes as a number, for hash tables whose keys an attacker cannot choose.
    package var leadingWord: UInt64 { first }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: (first, second, third, fourth)) { [UInt8]($0) }
    }

    /// The 32 bytes as 64 lower-case hexadecimal digits.
    package var hexadecimal: String {
        var text: [UInt8] = []
        text.reserveCapacity(64)
        for byte in bytes {
            text.append(Self.digit(byte >> 4))
            text.append(Self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    /// Hashes the first word only.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }
}
