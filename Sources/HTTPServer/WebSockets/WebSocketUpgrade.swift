package import HTTPMessages
import Primitives
import WebSockets

/// A WebSocket connection that begins after a response; see
/// ``ServerResponse/webSocket(_:maximumMessageBytes:_:)``.
///
/// A class, so that it does not make responses from memory larger.
package final class WebSocketUpgrade: Sendable {
    let maximumMessageBytes: Int
    let handle: @Sendable (WebSocketConnection) async -> Void

    init(maximumMessageBytes: Int, handle: @escaping @Sendable (WebSocketConnection) async -> Void) {
        self.maximumMessageBytes = maximumMessageBytes
        self.handle = handle
    }
}

/// Why a request cannot become a WebSocket connection.
package struct WebSocketRefusal: Error, Equatable {
    /// 400 for a wrong key, 426 for a wrong version or no upgrade.
    package let status: HTTPStatus
    /// A sentence for the client.
    package let message: String
    /// The header fields that the response needs.
    package let headers: HTTPHeaders

    /// A response that names the supported version.
    ///
    /// Source: RFC 6455 §4.4; RFC 9110 §15.5.22.
    static func required(_ message: String) -> WebSocketRefusal {
        WebSocketRefusal(
            status: HTTPStatus(rawValue: 426), message: message,
            headers: [
                "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": WebSocketHandshake.version,
            ])
    }
}

extension ServerResponse {
    /// Returns the response that turns the connection of a request into a WebSocket connection.
    ///
    /// The handler runs on the connection's loop, so it must not block. The connection ends when the handler returns.
    /// When it ends, the messages end and the handler's task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The request, a `GET`. The caller checks its `Origin` field if a cookie authenticates it.
    ///   - maximumMessageBytes: The maximum size of one message of the client, in bytes. A larger one ends the
    ///     connection.
    ///   - handle: Handles the connection.
    /// - Returns: The response. The server sends 400 or 503 instead when the request has a body or is HTTP/1.0, or when
    ///   there are too many WebSocket connections.
    /// - Throws: ``WebSocketRefusal`` when the handshake is invalid.
    ///
    /// Source: RFC 6455 §4.2.
    package static func webSocket(
        _ request: ServerRequest, maximumMessageBytes: Int,
        _ handle: @escaping @Sendable (WebSocketConnection) async -> Void
    ) throws(WebSocketRefusal) -> ServerResponse {
        guard has("websocket", in: "Upgrade", request), has("upgrade", in: "Connection", request) else {
            throw .required("This address is served only over WebSocket.")
        }
        guard request.headers.values("Sec-WebSocket-Version") == [WebSocketHandshake.version] else {
            throw .required("The only supported version of WebSocket is \(WebSocketHandshake.version).")
        }
        let keys = request.headers.values("Sec-WebSocket-Key")
        guard keys.count == 1, WebSocketHandshake.isKey(keys[0]) else {
            throw WebSocketRefusal(
                status: .badRequest, message: "Sec-WebSocket-Key must be 16 bytes as base64.", headers: [:])
        }
        return ServerResponse(
            status: HTTPStatus(rawValue: 101),
            headers: ["Upgrade": "websocket", "Sec-WebSocket-Accept": WebSocketHandshake.accept(for: keys[0])],
            body: .webSocket(WebSocketUpgrade(maximumMessageBytes: maximumMessageBytes, handle: handle)))
    }

    /// Whether the list in a field has a token, in upper or lower case.
    private static func has(_ token: String, in field: String, _ request: ServerRequest) -> Bool {
        request.headers.values(field).contains { value in
            value.split(atByte: ",").contains { part in
                HTTPHeaders.namesAreEqual(String(part.trimmingBlanks.prefix(beforeBytes: " ")), token)
            }
        }
    }
}
