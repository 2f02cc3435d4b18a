package import HTTPMessages

/// An error for a request body that could not be read. Its status and message are suitable for the response.
package struct RequestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status of the response: 400 or 415.
    package let status: HTTPStatus
    /// One sentence for the client. Never quotes the body.
    package let message: String

    /// The ``message``.
    package var description: String { message }
}
