/// Bytes that nobody shall read by accident: a token, a password, a key.
///
/// The bytes stand in memory of their own that is overwritten when the last copy of the value goes away; copies share
/// it. Printing, interpolating, dumping or mirroring a secret shows `‹secret›`. What ``reveal()`` and ``withBytes(_:)``
/// hand out is the caller's to keep short.
///
/// Source: RFC 6819 §5.1.6; `sodium_memzero`.
public struct Secret: Sendable {
    private let storage: SecretBytes

    /// Takes the UTF-8 bytes of `string`; the string itself stays where it is.
    public init(_ string: String) {
        var string = string
        storage = string.withUTF8 { SecretBytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Takes a copy of `bytes`.
    public init(bytes: [UInt8]) {
        storage = bytes.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// Makes a secret of `count` bytes that `fill` writes.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = SecretBytes(count: count, fill: fill)
    }

    /// Makes `count` random bytes, as for a key.
    ///
    /// Source: `randombytes_buf`.
    public static func random(_ count: Int) -> Secret {
        Secret(count: count, fill: SecureRandom.fill)
    }

    /// The number of bytes.
    public var count: Int { storage.bytes.count }

    /// The bytes read as UTF-8; bytes that are not UTF-8 become U+FFFD.
    public func reveal() -> String {
        String(decoding: storage.bytes, as: UTF8.self)
    }

    /// Calls `body` with the bytes in an array that is overwritten afterwards, unless `body` kept it.
    public func withBytes<R>(_ body: ([UInt8]) throws -> R) rethrows -> R {
        var bytes = [UInt8](storage.bytes)
        defer { wipe(&bytes) }
        return try body(bytes)
    }

    /// Calls `body` with the bytes where they stand; the pointer is good only inside.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // The storage must outlive the call: only the pointer goes in.
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
    }
}

extension Secret: Equatable {
    /// Whether both hold the same bytes; the time depends on the counts only.
    public static func == (one: Secret, other: Secret) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { other in constantTimeEqual(one, other) } }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Always `‹secret›`.
    public var description: String { "‹secret›" }
    /// Always `‹secret›`.
    public var debugDescription: String { "‹secret›" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
