/// A failure of a Redis command or connection.
///
/// Messages contain neither the password nor the arguments of a command.
package struct RedisError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case misconfigured, unreachable, lost, timedOut, refused, busy, closed, system
        }
        private let base: Base

        /// The settings cannot be used.
        package static let misconfigured = Code(base: .misconfigured)
        /// There is no connection, and none can be made now. The command was not sent.
        package static let unreachable = Code(base: .unreachable)
        /// The connection was lost during the command. Whether Redis ran it is unknown.
        package static let lost = Code(base: .lost)
        /// The timeout passed. Whether Redis ran the command is unknown.
        package static let timedOut = Code(base: .timedOut)
        /// Redis replied with an error. ``RedisError/reason`` holds its first word.
        package static let refused = Code(base: .refused)
        /// The queue is full. The command was not sent.
        package static let busy = Code(base: .busy)
        /// The client is closed. The command was not sent.
        package static let closed = Code(base: .closed)
        /// The system cannot start another thread.
        package static let system = Code(base: .system)

        /// The name of the code.
        package var description: String { base.rawValue }
    }

    /// The kind of failure.
    package let code: Code
    /// A sentence for people that names the action, the server and the remedy.
    package let message: String
    /// The first word of the error from Redis, such as `WRONGPASS` or `OOM`. Nil for every other failure.
    package let reason: String?

    /// Creates an error.
    package init(_ code: Code, _ message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    /// The same as ``message``.
    package var description: String { message }
}
