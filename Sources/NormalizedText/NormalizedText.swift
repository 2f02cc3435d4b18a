import CUnistring

/// The one spelling of a text whose characters can be written in several ways.
///
/// Foundation has it too, with 30 MB of locale data that nothing else here needs.
///
/// Source: Unicode Standard Annex #15, normalization form KC; GNU libunistring, `uninorm.h`.
public enum NormalizedText {
    /// The text in compatibility composition: `ﬁ` becomes `fi`, `Ａ` becomes `A`, a letter and its accent one character.
    ///
    /// - Parameter text: Any text.
    /// - Returns: The text in that form; nil when there is no memory left for it.
    ///
    /// Source: Unicode Standard Annex #15, NFKC.
    public static func compatibilityComposed(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return text }
        var count = 0
        guard let composed = u8_normalize(latch_nfkc(), bytes, bytes.count, nil, &count) else { return nil }
        defer { free(composed) }
        return String(decoding: UnsafeBufferPointer(start: composed, count: count), as: UTF8.self)
    }
}
