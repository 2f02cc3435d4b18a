import FoundationEssentials
import Primitives

extension Date {
    static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration.seconds)
    }

    static func - (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(-duration.seconds)
    }
}
