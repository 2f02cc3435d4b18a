extension Duration {
    /// The duration in seconds, rounded to the precision of a Double.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
