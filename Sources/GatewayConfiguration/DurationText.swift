/// Durations in the format of the configuration: a whole number and a unit, `10s`, `15m`, `2h`, `7d`, `500ms`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    /// Reads a duration. Nil without a unit, for negative numbers and for overflows.
    package static func read(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
        else { return nil }
        let (milliseconds, overflows) = number.multipliedReportingOverflow(by: unit.milliseconds)
        return overflows ? nil : .milliseconds(milliseconds)
    }

    /// Returns a duration in the largest unit that needs no fraction.
    package static func show(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        let unit = units.first { milliseconds != 0 && milliseconds % $0.milliseconds == 0 } ?? ("s", 1_000)
        return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
}
