import FoundationEssentials

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}

extension Date {
    static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration.seconds)
    }

    static func - (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(-duration.seconds)
    }
}
