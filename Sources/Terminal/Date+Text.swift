import CLibrary
package import FoundationEssentials

extension Date {
    /// The date in the local time zone, to the minute: `2026-11-21 04:50`.
    package var forPeople: String {
        var seconds = time_t(timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Creates the date at which a day starts in the local time zone. Returns nil for values that are out of range.
    ///
    /// - Parameters:
    ///   - day: Year, month and day. A month or day past the end of its range carries over into the next year or month.
    ///   - isExact: Whether to return nil instead of carrying over into another month.
    ///
    /// Source: `mktime(3)`.
    package init?(startOf day: [Int], isExact: Bool) {
        guard day.count == 3, (1...9999).contains(day[0]), (0...99).contains(day[1]), (0...99).contains(day[2]) else {
            return nil
        }
        var parts = tm()
        parts.tm_year = Int32(day[0] - 1900)
        parts.tm_mon = Int32(day[1] - 1)
        parts.tm_mday = Int32(day[2])
        parts.tm_isdst = -1
        let seconds = mktime(&parts)
        guard !isExact || parts.tm_mon == Int32(day[1] - 1) else { return nil }
        self.init(timeIntervalSince1970: TimeInterval(seconds))
    }

    /// The date in UTC to the second, in the format of RFC 3339: `2026-11-21T04:50:03Z`.
    package var forPrograms: String {
        formatted(.iso8601)
    }
}
