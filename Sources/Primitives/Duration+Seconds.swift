extension Duration {
    /// The duration in seconds, rounded to the precision of a Double.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// The duration in whole milliseconds, without its fraction. The division of two durations is not exact.
    package var wholeMilliseconds: Int {
        Int(components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
