import Primitives

/// A date of HTTP, in whole seconds since 1970.
///
/// Source: RFC 9110 §5.6.7.
package struct HTTPDate: Hashable, Comparable, Sendable {
    /// Whole seconds since 1970.
    package let seconds: Int

    /// Creates a date from seconds since 1970.
    package init(seconds: Int) {
        self.seconds = seconds
    }

    /// The names of the days as HTTP writes them, beginning with the day of 1 January 1970.
    package static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let longDays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    /// The names of the months as HTTP writes them.
    package static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns whether `one` is earlier than `other`.
    package static func < (one: HTTPDate, other: HTTPDate) -> Bool { one.seconds < other.seconds }

    /// Creates a date from text in any of the three formats. Returns nil for any other text. A leap second is read as
    /// the second before it.
    ///
    /// - Parameters:
    ///   - text: The text, such as `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov 6
    ///     08:49:37 1994`.
    ///   - now: The current time in seconds since 1970, to resolve a year of two digits. The year is never more than 50
    ///     years ahead.
    package init?(_ text: String, now: Int) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let isPrintable = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
        guard isPrintable, let weekday = words.first else { return nil }
        let hasComma = weekday.hasSuffix(",")
        let date: HTTPDate? =
            switch words.count {
            case 6 where hasComma: Self.fixed(words)
            case 4 where hasComma: Self.rfc850(words, now)
            // The day of this format is padded with a space.
            case 5, 6: Self.asctime(words)
            default: nil
            }
        guard let date else { return nil }
        self = date
    }

    private static func fixed(_ words: [Substring]) -> HTTPDate? {
        guard days.contains(String(words[0].dropLast())), words[5] == "GMT", let year = number(words[3], 4) else {
            return nil
        }
        return make(day: words[1], month: words[2], year: year, time: words[4])
    }

    private static func asctime(_ words: [Substring]) -> HTTPDate? {
        let isPadded = words.count == 6
        guard days.contains(String(words[0])), !isPadded || words[2].isEmpty else { return nil }
        let rest = words[(isPadded ? 3 : 2)...].map { $0 }
        guard rest.count == 3, let year = number(rest[2], 4) else { return nil }
        let day = isPadded ? "0" + rest[0] : rest[0]
        return make(day: Substring(day), month: words[1], year: year, time: rest[1])
    }

    private static func rfc850(_ words: [Substring], _ now: Int) -> HTTPDate? {
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard words[0].hasSuffix(","), longDays.contains(String(words[0].dropLast())), words[3] == "GMT",
            parts.count == 3, let short = number(parts[2], 2)
        else { return nil }
        let thisYear = 1970 + now / 31_556_952
        var year = thisYear - thisYear % 100 + short
        if year > thisYear + 50 { year -= 100 }
        return make(day: parts[0], month: parts[1], year: year, time: words[2])
    }

    private static func make(day: Substring, month: Substring, year: Int, time: Substring) -> HTTPDate? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let day = number(day, 2), let month = months.firstIndex(of: String(month)), clock.count == 3,
            let hour = number(clock[0], 2), let minute = number(clock[1], 2), let second = number(clock[2], 2),
            hour < 24, minute < 60, second <= 60,
            case let date = CivilDate(year: year, month: month + 1, day: day), (1...date.daysInMonth).contains(day)
        else { return nil }
        return HTTPDate(
            seconds: date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + min(second, 59))
    }

    private static func number(_ digits: Substring, _ count: Int) -> Int? {
        guard digits.utf8.count == count, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}
