import CSodium

/// Base 64 with the URL-safe alphabet and without padding, as used by tokens, PKCE and JOSE.
///
/// Source: RFC 4648 §5; RFC 7515 §2 for the omitted padding.
package enum Base64URL {
    /// Encodes bytes as text: four characters for three bytes, without `=`.
    package static func encode(_ bytes: [UInt8]) -> String {
        // The length from libsodium includes the terminating NUL.
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        return String(unsafeUninitializedCapacity: capacity) { output in
            output.withMemoryRebound(to: CChar.self) { text in
                _ = sodium_bin2base64(text.baseAddress!, capacity, bytes, bytes.count, variant)
            }
            return capacity - 1
        }
    }

    /// Decodes a text. Returns nil for any text that ``encode(_:)`` does not produce, such as text with padding, white
    /// space, characters of the other alphabet, or unused bits set in the last character.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8(decode)
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard let base = text.baseAddress, !text.isEmpty else { return [] }
        // libsodium 1.0.18 accepts some bytes above 127 as characters of the alphabet.
        guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
        let capacity = text.count / 4 * 3 + 3
        var count = 0
        var isCanonical = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, initializedCount in
            // Without an end pointer libsodium returns -1 when characters remain.
            let status = base.withMemoryRebound(to: CChar.self, capacity: text.count) {
                sodium_base642bin(output.baseAddress!, capacity, $0, text.count, nil, &count, nil, variant)
            }
            isCanonical = status == 0
            initializedCount = isCanonical ? count : 0
        }
        return isCanonical ? bytes : nil
    }

    private static let variant = Int32(sodium_base64_VARIANT_URLSAFE_NO_PADDING)
}
