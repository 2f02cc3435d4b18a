public import Wire

/// The known properties of a request that the server itself responds to, for a router's `errorResponse`.
///
/// A request that is refused before its head was parsed has the path as far as it was received, and no header fields.
public struct RefusedRequest: Sendable {
    /// The id that the server gave the request.
    public let id: String
    /// The method as sent.
    public let method: HTTPMethod
    /// The path as sent, without query.
    public let path: String
    /// The header fields. Empty when they could not be parsed.
    public let headers: HTTPHeaders
}

extension RefusedRequest {
    /// Creates the description of a complete request.
    public init(_ request: ServerRequest) {
        self.init(id: request.id, method: request.method, path: request.path, headers: request.headers)
    }
}

/// A refusal of a request, with a status and a message.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let message: String

    static func bad(_ message: String) -> Refusal {
        Refusal(status: .badRequest, message: message)
    }
}
