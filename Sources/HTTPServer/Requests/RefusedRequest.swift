package import HTTPMessages

/// The known properties of a request that the server itself responds to, for a router's `errorResponse`.
///
/// A request that is refused before its head was parsed has the path as far as it was received, and no header fields.
package struct RefusedRequest: Sendable {
    /// The id that the server gave the request.
    package let id: String
    /// The method as sent.
    package let method: HTTPMethod
    /// The path as sent, without query.
    package let path: String
    /// The header fields. Empty when they could not be parsed.
    package let headers: HTTPHeaders
}

extension RefusedRequest {
    /// Creates the description of a complete request.
    package init(_ request: ServerRequest) {
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
