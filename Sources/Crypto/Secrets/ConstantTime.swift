import CSodium

/// Returns whether two byte strings are equal. The time depends only on their lengths, not on where they differ.
///
/// Source: `sodium_memcmp`.
package func constantTimeEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.withUnsafeBytes { one in other.withUnsafeBytes { other in constantTimeEqual(one, other) } }
}

func constantTimeEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard one.count == other.count else { return false }
    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
    return sodium_memcmp(first, second, one.count) == 0
}
