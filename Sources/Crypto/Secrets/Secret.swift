/// Bytes that must not be exposed by accident, such as a token, a password or a key.
///
/// The bytes have their own memory, which copies of the value share. It is overwritten when the last copy is destroyed.
/// Printing, interpolating, dumping or mirroring a secret shows `‹secret›`. Callers should keep the results of
/// ``reveal()`` and ``withBytes(_:)`` only briefly.
///
/// Source: RFC 6819 §5.1.6; `sodium_memzero`.
public struct Secret: Sendable {
    private let storage: SecretBytes

    /// Copies the UTF-8 bytes of `string`. The string itself is not wiped.
    public init(_ string: String) {
        var string = string
        storage = string.withUTF8 { SecretBytes(copying: UnsafeRawBufferPointer($0)) }
    }

    /// Copies `bytes`.
    public init(bytes: [UInt8]) {
        storage = bytes.withUnsafeBytes { SecretBytes(copying: $0) }
    }

    /// Creates a secret of `count` bytes that `fill` writes.
    init(count: Int, fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = SecretBytes(count: count, fill: fill)
    }

    /// Creates a secret of `count` random bytes, for example a key.
    ///
    /// Source: `randombytes_buf`.
    public static func random(_ count: Int) -> Secret {
        Secret(count: count, fill: SecureRandom.fill)
    }

    /// The number of bytes.
    public var count: Int { storage.bytes.count }

    /// Returns the bytes decoded as UTF-8. Invalid UTF-8 becomes U+FFFD.
    public func reveal() -> String {
        String(decoding: storage.bytes, as: UTF8.self)
    }

    /// Calls `body` with the bytes in an array. The array is overwritten afterwards, unless `body` has kept a copy.
    public func withBytes<R>(_ body: ([UInt8]) throws -> R) rethrows -> R {
        var bytes = [UInt8](storage.bytes)
        defer { wipe(&bytes) }
        return try body(bytes)
    }

    /// Calls `body` with a pointer to the bytes. The pointer is valid only during the call.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        // The storage must outlive the call, because only the pointer is passed.
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(storage.bytes)) }
    }
}

extension Secret: Equatable {
    /// Returns whether two secrets have the same bytes. The time depends only on their lengths.
    public static func == (one: Secret, other: Secret) -> Bool {
        one.withUnsafeBytes { one in other.withUnsafeBytes { other in constantTimeEqual(one, other) } }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text `‹secret›`.
    public var description: String { "‹secret›" }
    /// The text `‹secret›`.
    public var debugDescription: String { "‹secret›" }
    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
