import FoundationEssentials

/// Reads the dates in Immich's messages: ISO 8601 in UTC, with or without fractions of a second.
enum ImmichDate {
    /// Returns the date. Nil when the text is not a date.
    static func read(_ text: String) -> Date? {
        guard let dot = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let end = text[text.index(after: dot)...].firstIndex { !$0.isNumber } ?? text.endIndex
        return try? Date(String(text[..<dot]) + text[end...], strategy: .iso8601)
    }
}
