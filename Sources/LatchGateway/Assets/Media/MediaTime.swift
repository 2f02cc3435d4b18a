import FoundationEssentials
import Primitives

/// A moment as a camera writes it: what its clock showed, and how far that clock was from UTC, if it says so.
struct MediaTime: Sendable, Equatable {
    /// What the clock showed, as though it stood in UTC.
    let local: Date
    /// Seconds that the clock was ahead of UTC; nil when nobody knows, and then it is taken for UTC.
    let offset: Int?

    /// The moment.
    var instant: Date { local.addingTimeInterval(-Double(offset ?? 0)) }

    /// Reads `2024:05:17 18:30:59` and an offset such as `+02:00`; nil when the first is no date of the years 1800 to 9999.
    ///
    /// Source: Exif 2.32 §4.6.5: DateTimeOriginal, OffsetTimeOriginal.
    init?(_ text: String, offset: String?) {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == " " }.map { Int($0) }
        guard parts.count == 6, text.utf8.count == 19, let year = parts[0], let month = parts[1], let day = parts[2],
            let hour = parts[3], let minute = parts[4], let second = parts[5]
        else { return nil }
        guard (1800...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSince1970
        local = Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3_600 + minute * 60 + min(second, 59)))
        self.offset = offset.flatMap(Self.seconds)
    }

    /// A moment that is known in UTC.
    init(instant: Date) {
        local = instant
        offset = 0
    }

    private static func seconds(_ offset: String) -> Int? {
        let text = offset.dropFirst()
        let parts = text.split(separator: ":").map { Int($0) }
        guard let sign = offset.first, sign == "+" || sign == "-", parts.count == 2, let hours = parts[0],
            let minutes = parts[1], (0...14).contains(hours), (0...59).contains(minutes)
        else { return nil }
        return (sign == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
