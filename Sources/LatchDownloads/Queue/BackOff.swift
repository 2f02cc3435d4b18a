/// How long a pause after a failure is.
///
/// Source: DL-14.
enum BackOff {
    /// The first pause; each further one is twice as long.
    private static let first = 1.0
    private static let longest = 60.0
    /// A pause is drawn from this much of itself, so that not all come back at once.
    private static let spread = 0.5..<1.5

    /// The longest pause that a server's `Retry-After` is obeyed for, a day: it is asked again then.
    static let longestAskedFor = Duration.seconds(24 * 3_600)

    /// The pause in seconds before a further try.
    ///
    /// - Parameters:
    ///   - failures: How many pauses there were before it.
    ///   - chance: A number from 0 to 1, drawn for this pause.
    /// - Returns: From half to one and a half of 1, 2, 4 … 60 seconds.
    static func pause(after failures: Int, chance: Double) -> Double {
        let pause = (0..<min(failures, 16)).reduce(first) { pause, _ in min(pause * 2, longest) }
        return pause * (spread.lowerBound + chance * (spread.upperBound - spread.lowerBound))
    }
}
