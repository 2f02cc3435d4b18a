import Foundation

/// Dates as the pages show them, in the language and time zone of the person.
enum DateText {
    /// Returns a date with its time.
    static func of(_ date: Date) -> String { date.formatted(date: .abbreviated, time: .shortened) }

    /// Returns when something was last used.
    static func lastUsed(_ date: Date?) -> String { date.map { "Last used \(of($0))" } ?? "" }
}
