import CAdwaita
import FoundationEssentials
import LatchScreens

/// Dates as the pages show them, in the language and time zone of the person.
enum DateText {
    /// Returns a date with its time. Empty for a date that GLib cannot express.
    static func of(_ date: Date) -> String {
        let seconds = gint64(min(max(date.timeIntervalSince1970, -1e12), 1e12))
        guard let local = g_date_time_new_from_unix_local(seconds) else { return "" }
        defer { g_date_time_unref(local) }
        guard let text = g_date_time_format(local, "%-d %b %Y, %H:%M") else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// Returns when something was last used.
    static func lastUsed(_ date: Date?) -> String { date.map { CommonText.lastUsed(of($0)) } ?? "" }
}
