/// A mistake in a configuration, with its position and a remedy.
package struct ConfigurationMistake: Sendable, Equatable, CustomStringConvertible {
    /// The position of the mistake.
    let origin: ConfigurationOrigin
    /// The problem, without a full stop.
    let problem: String
    /// The remedy, without a full stop. A question ends with its question mark.
    let remedy: String

    /// One line with the position, the problem and the remedy.
    package var description: String { "\(origin): \(problem); \(remedy)\(remedy.hasSuffix("?") ? "" : ".")" }
}
