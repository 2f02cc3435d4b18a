public import Wire

/// What is known of a request that the server answers itself, for a router's `errorResponse`.
///
/// A request refused before its head was read has the path as far as it was seen and no headers.
public struct RefusedRequest: Sendable {
    /// The server's own id of the request.
    public let id: String
    /// The method as sent.
    public let method: HTTPMethod
    /// The path as sent, without query.
    public let path: String
    /// The header fields; empty when they could not be read.
    public let headers: HTTPHeaders
}

extension RefusedRequest {
    /// Describes a complete request.
    public init(_ request: ServerRequest) {
        self.init(id: request.id, method: request.method, path: request.path, headers: request.headers)
    }
}

/// A status and a sentence with which the server refuses a request.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let message: String

    static func bad(_ message: String) -> Refusal {
        Refusal(status: .badRequest, message: message)
    }
}
