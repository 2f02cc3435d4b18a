/// An event for the operator, passed to `onLog`.
public struct ServerEvent: Sendable {
    /// The severity of an event.
    public enum Level: Sendable, Hashable {
        /// Information for debugging.
        case debug
        /// Information for the operator.
        case info
        /// A request or a response was refused or incomplete.
        case warning
        /// A failure of the program or the system.
        case error
    }

    /// The severity of the event.
    public let level: Level
    /// The message: a constant sentence.
    public let message: String
    /// Additional values by name.
    public let metadata: [String: String]
}
