import FoundationEssentials
import Primitives

/// A time as cameras write it: the local time of the camera's clock and, if known, its offset from UTC.
struct MediaTime: Sendable, Equatable {
    /// The time that the clock showed, stored as if it were UTC.
    let local: Date
    /// The offset of the clock from UTC in seconds, positive when ahead. Nil when unknown, and then treated as zero.
    let offset: Int?

    /// The time in UTC.
    var instant: Date { local.addingTimeInterval(-Double(offset ?? 0)) }

    /// Reads `2024:05:17 18:30:59` and an offset such as `+02:00`. Nil when the text is not a date of the years 1800 to
    /// 9999.
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

    /// Makes a time that is known in UTC.
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
