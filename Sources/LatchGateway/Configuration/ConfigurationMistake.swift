/// A mistake in a configuration, with its position and a remedy.
public struct ConfigurationMistake: Sendable, Equatable, CustomStringConvertible {
    /// The position of the mistake.
    public let origin: ConfigurationOrigin
    /// The problem, without a full stop.
    public let problem: String
    /// The remedy, without a full stop. A question ends with its question mark.
    public let remedy: String

    /// One line with the position, the problem and the remedy.
    public var description: String { "\(origin): \(problem); \(remedy)\(remedy.hasSuffix("?") ? "" : ".")" }
}
