import CLibrary
import HTTPMessages

extension HTTPDate {
    /// The date as text, such as `Sun, 06 Nov 1994 08:49:37 GMT`. A date before the year 0000 or after 9999 is written
    /// as the first or last date of that range.
    var text: String {
        let seconds = min(max(seconds, -62_167_219_200), 253_402_300_799)
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func digits(_ value: Int32, _ count: Int = 2) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
        }
        // `days` begins with Thursday, `tm_wday` with Sunday.
        let weekday = Self.days[(Int(parts.tm_wday) + 3) % 7]
        return "\(weekday), \(digits(parts.tm_mday)) \(Self.months[Int(parts.tm_mon)]) "
            + "\(digits(parts.tm_year + 1900, 4)) "
            + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec)) GMT"
    }
}
