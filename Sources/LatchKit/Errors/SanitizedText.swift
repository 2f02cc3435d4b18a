import Primitives

/// Makes text from outside safe to print and to show.
package enum SanitizedText {
    /// Returns the first 300 characters of a text, with each control and formatting character replaced by a space.
    ///
    /// Marks that change the direction of the text are formatting characters.
    package static func clean(_ text: String) -> String {
        String(text.unicodeScalars.prefix(300)).replacingControls(with: " ")
    }

    /// Returns ``clean(_:)`` without periods at the end, for a place inside of a sentence.
    static func clause(_ text: String) -> String {
        var clause = clean(text)
        while clause.hasSuffix(".") { clause.removeLast() }
        return clause
    }
}
