extension String {
    /// The text without leading and trailing white space.
    package var trimmed: String {
        var rest = drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// The text with each control and formatting character replaced by U+FFFD. Text from a server must not be able to
    /// move the cursor of a terminal or change the writing direction.
    package var printable: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        return replacingControls(with: "\u{FFFD}")
    }

    /// Returns the text with each control and formatting character replaced by `replacement`.
    package func replacingControls(with replacement: Unicode.Scalar) -> String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: replacement
                    default: scalar
                    }
                }))
    }

    /// Returns the text as a name to store and show, or nil when nothing visible is left. Removes control, formatting,
    /// private, unassigned and invisible characters and white space at both ends, and truncates the rest to `limit`
    /// characters.
    package func displayName(limit: Int) -> String? {
        // The text is first truncated by bytes, so that the cost does not grow with its length.
        let bounded = String(decoding: utf8.prefix(limit * 16), as: UTF8.self)
        let scalars = bounded.unicodeScalars.filter { !$0.isInvisible }
        let short = String(String.UnicodeScalarView(scalars)).trimmed.prefix(limit)
        let isVisible = short.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .spaceSeparator: false
            default: true
            }
        }
        return isVisible ? String(short) : nil
    }
}
