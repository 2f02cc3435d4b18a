/// The delays after failures.
///
/// Source: DL-14.
enum BackOff {
    /// The first delay in seconds. Each further delay is twice as long, up to `longest`.
    private static let first = 1.0
    private static let longest = 60.0
    /// The range of the random factor of a delay. It prevents all clients from retrying at the same time.
    private static let jitter = 0.5..<1.5

    /// The longest `Retry-After` delay that is respected, a day. After it, the server is tried again.
    static let longestAskedFor = Duration.seconds(24 * 3_600)

    /// Returns the delay in seconds before the next attempt.
    ///
    /// - Parameters:
    ///   - failures: How many delays there were before this one.
    ///   - random: A random number from 0 to 1 for this delay.
    /// - Returns: 0.5 to 1.5 times 1, 2, 4 … 60 seconds.
    static func pause(after failures: Int, random: Double) -> Double {
        let pause = (0..<min(failures, 16)).reduce(first) { pause, _ in min(pause * 2, longest) }
        return pause * (jitter.lowerBound + random * (jitter.upperBound - jitter.lowerBound))
    }
}
