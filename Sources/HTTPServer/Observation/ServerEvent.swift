/// An event for the operator, passed to `onLog`.
package struct ServerEvent: Sendable {
    /// The severity of an event.
    package enum Level: Sendable, Hashable {
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
    package let level: Level
    /// The message: a constant sentence.
    package let message: String
    /// Additional values by name.
    package let metadata: [String: String]
}
