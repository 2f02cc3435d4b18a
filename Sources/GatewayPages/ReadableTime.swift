package import FoundationEssentials
import GatewayCore
package import HTTPMessages
import Primitives

/// Formats points in time for people, who may be in any time zone: as a relative time, or as date and time in UTC. The
/// `datetime` attribute always has the time in a form for programs.
package enum ReadableTime {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// Returns a relative time such as `5 minutes ago`. For times a week or more ago, returns the date.
    package static func ago(_ date: Date, now: Date) -> HTML {
        let seconds = Int(now.timeIntervalSince(date))
        guard seconds < 7 * 86_400 else { return at(date) }
        let age = seconds < 60 ? "just now" : "\(length(.seconds(seconds))) ago"
        return "<time datetime=\"\(Timestamp.text(date))\" title=\"\(text(date))\" class=\"short\">\(age)</time>"
    }

    /// Returns a date and time such as `21 November 2026, 13:05 UTC`.
    static func at(_ date: Date) -> HTML {
        "<time datetime=\"\(Timestamp.text(date))\">\(text(date))</time>"
    }

    /// Returns a duration such as `2 minutes`, in the largest unit that fits. At least one second. Rounded down, or up
    /// for a wait.
    package static func length(_ duration: Duration, isWait: Bool = false) -> String {
        let seconds = max(1, Int(duration.seconds.rounded(.up)))
        let units = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        let (size, unit) = units.first { seconds >= $0.0 } ?? (1, "second")
        let count = (seconds + (isWait ? size - 1 : 0)) / size
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    private static func text(_ date: Date) -> String {
        let stamp = Timestamp.text(date)
        let parts = stamp.split { "-T:".contains($0) }
        guard parts.count > 4, let month = Int(parts[1]), let day = Int(parts[2]), months.indices.contains(month - 1)
        else { return stamp }
        return "\(day) \(months[month - 1]) \(parts[0]), \(parts[3]):\(parts[4]) UTC"
    }
}
