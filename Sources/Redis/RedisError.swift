/// Something that was asked of Redis and did not happen.
///
/// Neither the password nor what a command carried is ever in a message.
public struct RedisError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Base: String {
            case misconfigured, unreachable, lost, timedOut, refused, busy, closed, system
        }
        private let base: Base

        /// The settings cannot be used.
        public static let misconfigured = Code(base: .misconfigured)
        /// There is no connection and none can be made now; the command was not sent.
        public static let unreachable = Code(base: .unreachable)
        /// The connection ended while the command was under way; whether Redis did it is not known.
        public static let lost = Code(base: .lost)
        /// Redis took too long; whether it did the command is not known.
        public static let timedOut = Code(base: .timedOut)
        /// Redis answered with an error; ``RedisError/reason`` has its first word.
        public static let refused = Code(base: .refused)
        /// Too many commands wait already; the command was not sent.
        public static let busy = Code(base: .busy)
        /// The client was closed; the command was not sent.
        public static let closed = Code(base: .closed)
        /// The system has no further thread.
        public static let system = Code(base: .system)

        /// The code's name.
        public var description: String { base.rawValue }
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence for a person: what was asked, of whom, and what to do.
    public let message: String
    /// The first word of Redis's own error, such as `WRONGPASS` or `OOM`; nil for every other failure.
    public let reason: String?

    /// Makes an error.
    public init(_ code: Code, _ message: String, reason: String? = nil) {
        self.code = code
        self.message = message
        self.reason = reason
    }

    /// The message.
    public var description: String { message }
}
