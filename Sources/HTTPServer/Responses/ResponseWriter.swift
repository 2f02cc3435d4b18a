import CMicroHTTPD
import HTTPMessages

/// Converts a response into one of libmicrohttpd, or into bytes where libmicrohttpd accepts no response.
enum ResponseWriter {
    static let maximumHeaderBytes = 8192

    /// Passes the exchange's response to libmicrohttpd.
    static func queue(_ exchange: Exchange, _ handle: OpaquePointer) -> MHD_Result {
        guard let given = exchange.response else { return latch_mhd_no }
        let response = sendable(exchange.upgradeRefusal(of: given) ?? given, exchange)
        let body = hasLength(response) ? response.body : []
        guard let made = makeResponse(response, with: body, for: exchange) else { return latch_mhd_no }
        let isReusable = exchange.reusableResponse != nil
        defer { if !isReusable { MHD_destroy_response(made) } }
        exchange.response = nil
        exchange.step = .answered
        exchange.status = response.status
        exchange.connection.enter(.sending)
        let result = MHD_queue_response(handle, UInt32(response.status.rawValue), made)
        switch body {
        case .bytes(let bytes):
            exchange.answerBytes = isBodySent(response.status, exchange) ? bytes.count : 0
            exchange.scheduleResponseCount(exchange.answerBytes)
        case .webSocket(let upgrade): exchange.webSocket = upgrade
        case .file, .stream: begin(body, of: exchange, status: response.status, queued: result)
        }
        return result
    }

    /// Returns libmicrohttpd's response with its header fields. One that is used again belongs to the exchange.
    private static func makeResponse(
        _ response: ServerResponse, with body: ResponseBody, for exchange: Exchange
    ) -> OpaquePointer? {
        let closes = isLast(exchange) && response.headers["Connection"] == nil && !body.isUpgrade
        if !closes, hasLength(response), let reusable = exchange.loop.reusableResponses.take(response, for: exchange) {
            exchange.reusableResponse = reusable
            return reusable.handle
        }
        guard let made = makeResponse(response, body, for: exchange) else { return nil }
        guard add(response.headers, strictTransport: exchange.strictTransport, id: exchange.id, to: made) else {
            MHD_destroy_response(made)
            return nil
        }
        if closes { _ = add("Connection", "close", to: made) }
        return made
    }

    /// Whether the connection is closed after the response.
    private static func isLast(_ exchange: Exchange) -> Bool { exchange.loop.isStopping || exchange.isChunked }

    /// Returns libmicrohttpd's response for a body, still without header fields.
    private static func makeResponse(
        _ response: ServerResponse, _ body: ResponseBody, for exchange: Exchange
    ) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes): bytes.withUnsafeBytes { latch_mhd_response($0.baseAddress, $0.count) }
        case .file(let region): OutgoingBody.response(region, exchange, head: headBytes(response, exchange))
        case .stream(let stream): OutgoingBody.response(stream, exchange)
        case .webSocket: MHD_create_response_for_upgrade(upgradeCallback, nil)
        }
    }

    /// Adds all fields of a response. `X-Request-Id` is the last one, as in a response that is used again.
    static func add(
        _ headers: HTTPHeaders, strictTransport policy: String?, id: String, to response: OpaquePointer
    ) -> Bool {
        guard add(headers, to: response),
            headers["X-Content-Type-Options"] != nil || add("X-Content-Type-Options", "nosniff", to: response)
        else { return false }
        if let policy, headers[StrictTransport.field] == nil {
            _ = MHD_add_response_header(response, StrictTransport.field, policy)
        }
        return add("X-Request-Id", id, to: response)
    }

    /// Starts the producer of a body that will be sent. For `HEAD`, only the length is needed.
    private static func begin(
        _ body: ResponseBody, of exchange: Exchange, status: HTTPStatus, queued result: MHD_Result
    ) {
        if !isBodySent(status, exchange) || result == latch_mhd_no {
            exchange.outgoingBody = nil
        } else if case .stream(let stream) = body {
            exchange.outgoingBody?.start(stream)
        }
    }

    /// Returns the size of the head in bytes, as libmicrohttpd 0.9.75 writes it for HTTP/1.1.
    private static func headBytes(_ response: ServerResponse, _ exchange: Exchange) -> Int {
        let status = UInt32(clamping: response.status.rawValue)
        let length = response.body.count.map { String($0).utf8.count } ?? 0
        let own = ["X-Request-Id": exchange.id, StrictTransport.field: exchange.strictTransport ?? ""]
        // Only the lengths matter: every status has three digits, and every date has 29 characters.
        var bytes = "HTTP/1.1 200 \r\n".utf8.count + (MHD_get_reason_phrase_for(status).map { strlen($0) } ?? 0)
        bytes += "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: \r\n\r\n".utf8.count + length
        for field in response.headers.fields where !isOwn(field.name) { bytes += size(field.name, field.value) }
        for (name, value) in own where !value.isEmpty { bytes += size(name, value) }
        if response.headers["X-Content-Type-Options"] == nil { bytes += size("X-Content-Type-Options", "nosniff") }
        if isLast(exchange), response.headers["Connection"] == nil {
            bytes += size("Connection", "close")
        }
        return bytes
    }

    private static func size(_ name: String, _ value: String) -> Int {
        name.utf8.count + value.utf8.count + ": \r\n".utf8.count
    }

    private static func add(_ headers: HTTPHeaders, to response: OpaquePointer) -> Bool {
        headers.fields.allSatisfy { field in
            isOwn(field.name)
                || field.name.withCString { name in
                    field.value.withCString { MHD_add_response_header(response, name, $0) == latch_mhd_yes }
                }
        }
    }

    /// Adds a header field of the server. A string literal passed as a `String` would be copied to the heap each time.
    static func add(_ name: StaticString, _ value: String, to response: OpaquePointer) -> Bool {
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) { name in
            value.withCString { MHD_add_response_header(response, name, $0) == latch_mhd_yes }
        }
    }

    /// Returns a complete HTTP/1.1 message that closes the connection.
    static func bytes(of response: ServerResponse, _ exchange: Exchange) -> [UInt8] {
        let status = response.status.rawValue
        let reason = MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? ""
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        // This response did not pass sendable(_:_:), so fields that would break the message are left out.
        for field in response.headers.fields
        where !isOwn(field.name) && Token.isSafe(field) {
            head += "\(field.name): \(field.value)\r\n"
        }
        if let policy = exchange.strictTransport { head += "\(StrictTransport.field): \(policy)\r\n" }
        head += "X-Request-Id: \(exchange.id)\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n"
        let body = response.body.bytes ?? []
        head += "Content-Length: \(body.count)\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Returns the response, or a plain 500 when the response would break the message.
    private static func sendable(_ response: ServerResponse, _ exchange: Exchange) -> ServerResponse {
        var bytes = 0
        var isSafe = response.body.isUpgrade || (200...599).contains(response.status.rawValue)
        for field in response.headers.fields {
            bytes += field.name.utf8.count + field.value.utf8.count + 4
            isSafe = isSafe && Token.isSafe(field)
        }
        if isSafe, bytes <= maximumHeaderBytes { return response }
        exchange.loop.settings.onLog(
            ServerEvent(
                level: .error, message: "A handler's response could not be sent: its status or header is invalid.",
                metadata: ["request": exchange.id, "route": exchange.route ?? "-"]))
        return ServerResponse(status: .internalServerError, headers: ["Content-Type": "text/plain"])
    }

    /// Returns whether the body of a response is used: with 204 it must not be, and with 304 only its length is.
    private static func hasLength(_ response: ServerResponse) -> Bool {
        response.status != .noContent && (response.status != .notModified || response.body.count != nil)
    }

    private static func isBodySent(_ status: HTTPStatus, _ exchange: Exchange) -> Bool {
        status != .notModified && exchange.head?.method != .head
    }

    /// Returns whether a field is written by the server or libmicrohttpd itself.
    private static func isOwn(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: Token.isName(name, "date")
        case 12: Token.isName(name, "x-request-id")
        case 14: Token.isName(name, "content-length")
        case 17: Token.isName(name, "transfer-encoding")
        default: false
        }
    }
}
