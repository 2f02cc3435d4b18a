package import FoundationEssentials
import Primitives

extension Date {
    package static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration.seconds)
    }

    package static func - (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(-duration.seconds)
    }
}
