import Primitives

/// Prepares text from servers for display.
enum ScreenText {
    /// The longest text from a server that is shown in one line, in characters.
    static let longestLine = 200

    /// Returns the text in one line without control characters or characters that change the direction of the text,
    /// shortened to ``longestLine``.
    static func line(_ text: String) -> String {
        let clean = String(decoding: text.utf8.prefix(longestLine * 16), as: UTF8.self).printable
        return clean.count > longestLine ? clean.prefix(longestLine - 1) + "…" : clean
    }
}
