extension Duration {
    /// The duration in seconds; what is finer than a Double is rounded.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
