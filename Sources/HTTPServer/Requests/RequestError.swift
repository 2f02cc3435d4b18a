public import Wire

/// An error for a request body that could not be read. Its status and message are suitable for the response.
public struct RequestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the response: 400 or 415.
    public let status: HTTPStatus
    /// One sentence for the client. Never quotes the body.
    public let message: String

    /// The ``message``.
    public var description: String { message }
}
