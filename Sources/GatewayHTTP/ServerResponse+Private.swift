package import HTTPMessages
package import HTTPServer
import Primitives

extension HTTPHeaders {
    /// The header fields of JSON that no cache may store, such as tokens, people and errors.
    package static let privateJSON: HTTPHeaders = ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"]
}

extension ServerResponse {
    /// A 204 response without a body, which no cache may store.
    package static let noContent = ServerResponse(status: .noContent, headers: ["Cache-Control": "no-store"], body: [])

    /// A 200 response without a body, which no cache may store.
    package static let emptyOK = ServerResponse(status: .ok, headers: ["Cache-Control": "no-store"], body: [])

    /// Returns a JSON response that no cache may store.
    package static func privateJSON(_ value: some Encodable, status: HTTPStatus = .ok) -> ServerResponse {
        ServerResponse(status: status, headers: .privateJSON, body: JSON.encode(value))
    }

    /// Returns a redirect that no cache may store, and that does not reveal the previous address to the next site.
    package static func redirect(to address: String, status: HTTPStatus = .found) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: ["Location": address, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"])
    }

    /// Returns the response with `Retry-After`: `delay` in whole seconds, rounded up, at least 1.
    ///
    /// Source: RFC 9110 §10.2.3.
    package func retry(after delay: Duration) -> ServerResponse {
        var response = self
        response.headers["Retry-After"] = String(max(1, Int(delay.seconds.rounded(.up))))
        return response
    }
}
