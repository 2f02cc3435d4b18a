import CUnistring

/// Normalizes text whose characters can be encoded in several ways.
///
/// Foundation can normalize text too, but adds 30 MB of locale data that nothing else in this project needs.
///
/// Source: Unicode Standard Annex #15, normalization form KC; GNU libunistring, `uninorm.h`.
package enum NormalizedText {
    /// Returns the compatibility composition of a text: `ﬁ` becomes `fi`, `Ａ` becomes `A`, and a letter with a
    /// combining accent becomes one character.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The normalized text. Nil when memory cannot be allocated.
    ///
    /// Source: Unicode Standard Annex #15, NFKC.
    package static func compatibilityComposed(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return text }
        var count = 0
        guard let composed = u8_normalize(latch_nfkc(), bytes, bytes.count, nil, &count) else { return nil }
        defer { free(composed) }
        return String(decoding: UnsafeBufferPointer(start: composed, count: count), as: UTF8.self)
    }
}
