public import Wire

/// Why a request's body could not be read; its status and message are fit for the answer.
public struct RequestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The status to answer with: 400 or 415.
    public let status: HTTPStatus
    /// One sentence for the client; never quotes the body.
    public let message: String

    /// The message.
    public var description: String { message }
}
