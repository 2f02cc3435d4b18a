/// One thing that is wrong with a configuration, where it is and what to do.
public struct ConfigurationMistake: Sendable, Equatable, CustomStringConvertible {
    /// Where it is.
    public let origin: ConfigurationOrigin
    /// What is wrong, without a full stop.
    public let problem: String
    /// What to do, without a full stop; a question has its question mark.
    public let remedy: String

    /// One line: where, what, and what to do.
    public var description: String { "\(origin): \(problem); \(remedy)\(remedy.hasSuffix("?") ? "" : ".")" }
}
