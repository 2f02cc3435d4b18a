public import HTTPMessages

/// An error of this library, for programs and for people.
///
/// Programs use ``code``. Its raw value is stable, and `latch --json` prints it. People read ``message``: one or two
/// sentences that say what happened, to what, and what to do. Neither ever contains a token, a password or a key.
///
/// Source: IM-16.
public struct LatchError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public let code: Code
    /// What happened, to what, and what to do.
    public let message: String
    /// How long the server asks clients to wait, as with ``Code/rateLimited`` and ``Code/serverError``. Nil when the
    /// server does not say.
    public let retryAfter: Duration?
    /// The status of the server's response to a request of ``AuthorizedClient``. Nil for other errors.
    public let status: HTTPStatus?
    /// What a person can do, for a program to offer. Nil when nothing particular helps, or only ``message`` says it.
    public let remedy: Remedy?
    /// The underlying error. Nil when there is none.
    public let cause: (any Error)?

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What happened, to what, and what to do. It must not contain a secret.
    ///   - retryAfter: How long the server asks clients to wait.
    ///   - status: The status of the server's response.
    ///   - remedy: What a person can do. The message should say it in words too.
    ///   - cause: The underlying error.
    public init(
        _ code: Code, _ message: String, retryAfter: Duration? = nil, status: HTTPStatus? = nil,
        remedy: Remedy? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.status = status
        self.remedy = remedy
        self.cause = cause
    }

    /// Returns an error of this library as it is, and makes one of any other.
    package init(any error: any Error) {
        switch error {
        case let error as LatchError: self = error
        case is CancellationError: self.init(.cancelled, "Stopped before completion.")
        default: self.init(.unexpected, "Unexpected error: \(error).", cause: error)
        }
    }

    /// The value of ``message``.
    public var description: String { message }
}
