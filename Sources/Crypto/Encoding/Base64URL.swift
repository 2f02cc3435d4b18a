import CSodium

/// Base 64 with the URL-safe alphabet and without padding, as tokens, PKCE and JOSE write it.
///
/// Source: RFC 4648 §5; RFC 7515 §2 for leaving the padding out.
public enum Base64URL {
    /// Writes `bytes` as text: four characters for three bytes, no `=`.
    public static func encode(_ bytes: [UInt8]) -> String {
        // The count that libsodium gives includes the closing NUL.
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        return String(unsafeUninitializedCapacity: capacity) { output in
            output.withMemoryRebound(to: CChar.self) { text in
                _ = sodium_bin2base64(text.baseAddress!, capacity, bytes, bytes.count, variant)
            }
            return capacity - 1
        }
    }

    /// Reads the one text that ``encode(_:)`` writes for some bytes; nil for any other, such as one with padding, white
    /// space, letters of the other alphabet, or loose bits in the last character.
    public static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8(decode)
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard let base = text.baseAddress, !text.isEmpty else { return [] }
        // libsodium 1.0.18 takes some bytes above 127 for characters of the alphabet.
        guard text.allSatisfy({ $0 < 0x80 }) else { return nil }
        let capacity = text.count / 4 * 3 + 3
        var count = 0
        var isCanonical = false
        let bytes = [UInt8](unsafeUninitializedCapacity: capacity) { output, initializedCount in
            // Without an end pointer libsodium answers -1 for a character that is left over.
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
