import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer

extension ImmichRoutes {
    /// Adds the real-time connection: Socket.IO over WebSocket, without any other transport.
    ///
    /// Source: IM-6; docs/protocols/immich.md, Real-time connection.
    func addRealTime(to router: inout Router) {
        routing.on(.get, "/socket.io/", to: &router) { request in
            guard request.queryValues("EIO") == ["4"] else {
                return Self.engineError(5, "Unsupported protocol version")
            }
            guard request.queryValues("transport") == ["websocket"] else {
                return Self.engineError(0, "Transport unknown")
            }
            var session: ImmichCaller?
            do {
                session = try await access.caller(of: request)
            } catch let refusal as ImmichRefusal where refusal.response.status == .unauthorized {
                // The client gets the refusal as an event, so the connections without a session are limited.
                if let refusal = limited(request) { return refusal }
            }
            return try connect(request, session)
        }
    }

    private func connect(_ request: ServerRequest, _ caller: ImmichCaller?) throws -> ServerResponse {
        do throws(WebSocketRefusal) {
            return try ServerResponse.webSocket(request, maximumMessageBytes: 4_096) { [realTime] connection in
                await realTime.serve(connection, caller?.session.id)
            }
        } catch {
            var response = ImmichResponses.failure(error.status, error.message)
            for field in error.headers.fields { response.headers[field.name] = field.value }
            return response
        }
    }

    /// Returns an error of Engine.IO.
    ///
    /// Source: the Engine.IO protocol, revision 4.
    private static func engineError(_ code: Int, _ message: String) -> ServerResponse {
        let error: JSONValue = ["code": .number(Double(code)), "message": .string(message)]
        return ServerResponse(
            status: .badRequest, headers: ["Content-Type": JSON.mediaType, "Cache-Control": "no-store"],
            body: error.encoded())
    }
}
