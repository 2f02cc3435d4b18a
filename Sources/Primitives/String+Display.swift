extension String {
    /// The text without white space at its ends.
    package var trimmed: String {
        var rest = drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// The text with U+FFFD for each control and formatting character: what a server sends must not move a terminal's cursor
    /// or turn the direction of writing.
    package var printable: String {
        if utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return self }
        return replacingControls(with: "\u{FFFD}")
    }

    /// The text with `replacement` for each control and formatting character.
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

    /// The text for a name that is stored and shown: without control, formatting, private and unassigned characters and without
    /// white space at its ends, cut after `limit` characters; nil when nothing is left.
    package func displayName(limit: Int) -> String? {
        // Cut first by bytes, so that a long text costs no more than a short one.
        let bounded = String(decoding: utf8.prefix(limit * 16), as: UTF8.self)
        let scalars = bounded.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        let short = String(String.UnicodeScalarView(scalars)).trimmed.prefix(limit)
        return short.isEmpty ? nil : String(short)
    }
}
