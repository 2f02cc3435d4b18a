/// Text from outside that is stored and shown: device names, people's names.
enum DisplayText {
    /// The text without control and formatting characters and without white space around it, cut after `limit`
    /// characters; nil when nothing is left.
    ///
    /// Formatting characters go too: one that turns the direction of writing makes a list lie.
    static func cleaned(_ text: String, limit: Int) -> String? {
        // Cut first by bytes, so that a long header costs no more than a short one.
        let bounded = String(decoding: text.utf8.prefix(limit * 16), as: UTF8.self)
        let scalars = bounded.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
            default: true
            }
        }
        var kept = String.UnicodeScalarView()
        kept.append(contentsOf: scalars)
        let short = trimmed(String(kept)).prefix(limit)
        return short.isEmpty ? nil : String(short)
    }

    /// The text without white space at its ends.
    static func trimmed(_ text: String) -> String {
        var rest = text.drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
