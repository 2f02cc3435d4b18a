/// The 32 bytes that ``SHA256`` makes.
///
/// Made to be a dictionary's key: four words without a heap box, compared whole and hashed by the first word, whose
/// bits are as random as any. It compares in ordinary time; whoever compares against a digest that must stay secret
/// uses ``constantTimeEqual(_:_:)``.
public struct SHA256Digest: Hashable, Sendable {
    typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// The number of bytes in every digest.
    public static let count = 32

    // In memory order, so that the bytes can be copied out as they stand.
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    init(words: Words) {
        (first, second, third, fourth) = words
    }

    /// Takes the 32 bytes of a digest; nil for any other count.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        var words: Words = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.init(words: words)
    }

    /// The first eight bytes as a number, for tables whose keys are not the adversary's to choose.
    public var leadingWord: UInt64 { first }

    /// The 32 bytes.
    public var bytes: [UInt8] {
        withUnsafeBytes(of: (first, second, third, fourth)) { [UInt8]($0) }
    }

    /// The 32 bytes as 64 lower-case hexadecimal digits.
    public var hexadecimal: String {
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

    /// Feeds the first word.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }
}
