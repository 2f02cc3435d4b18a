import FoundationEssentials

/// The dates of Immich's messages: ISO 8601 in UTC, with fractions of a second or without.
enum ImmichDate {
    /// The date; nil when it is none.
    static func read(_ text: String) -> Date? {
        guard let dot = text.firstIndex(of: ".") else { return try? Date(text, strategy: .iso8601) }
        let end = text[text.index(after: dot)...].firstIndex { !$0.isNumber } ?? text.endIndex
        return try? Date(String(text[..<dot]) + text[end...], strategy: .iso8601)
    }
}
