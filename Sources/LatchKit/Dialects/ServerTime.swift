package import FoundationEssentials

/// Reads dates in ISO 8601, with any number of fractional digits. The offset may be missing, which means UTC.
///
/// Source: ISO 8601; docs/protocols/relate-mail.md, Formats.
package enum ServerTime {
    /// Returns the date. Nil when the text is not a date.
    package static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var text = text
        var fraction = 0.0
        if let dot = text.firstIndex(of: ".") {
            let digits = text[text.index(after: dot)...].prefix { $0.isNumber }
            fraction = Double("0." + digits) ?? 0
            text.removeSubrange(dot..<digits.endIndex)
        }
        let time = text.firstIndex(of: "T").map { text[$0...] } ?? ""
        if !text.hasSuffix("Z"), !time.contains("+"), !time.contains("-") { text += "Z" }
        guard let whole = try? Date(text, strategy: .iso8601) else { return nil }
        return whole.addingTimeInterval(fraction)
    }
}
