/// What went wrong, for programs and for people.
///
/// ``code`` is stable and its raw value is what `latch --json` prints; ``message`` is one or two sentences that say what
/// happened, to what, and what to do. Neither ever holds a token, a password or a key.
///
/// Source: IM-16.
public struct LatchError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String
    /// How long the server asked to wait, with ``Code/rateLimited`` and ``Code/serverError``.
    public let retryAfter: Duration?
    /// The error below, when there was one.
    public let cause: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened, to what, and what to do; no secret.
    ///   - retryAfter: How long the server asked to wait.
    ///   - cause: The error below.
    public init(_ code: Code, _ message: String, retryAfter: Duration? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// The message.
    public var description: String { message }
}
