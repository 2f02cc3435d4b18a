import HTTPMessages
import Primitives
import WebSockets

/// The client's half of the opening handshake of a WebSocket connection.
///
/// Source: RFC 6455 §4.1.
struct UpgradeHandshake {
    let plan: TransferPlan
    private let key = WebSocketHandshake.key()

    init(plan: TransferPlan) { self.plan = plan }

    /// The maximum size of the body of a refusal, in bytes.
    private static let maximumBodyBytes = 64 << 10

    /// Sends the request and reads the response.
    ///
    /// - Returns: Nil and the first bytes of the connection, or the head and the body of a refusal.
    func perform(on stream: any ByteStream) async throws -> (refusal: ResponseHead?, rest: [UInt8]) {
        try await stream.send(request)
        var reader = ResponseHeadReader()
        while true {
            let bytes = try await stream.receive()
            guard !bytes.isEmpty else {
                throw error(.closedEarly, "it closed the connection before its response was complete; try again.")
            }
            let head: ResponseHead?
            do throws(ResponseHeadReader.Failure) {
                head = try reader.append(bytes)
            } catch .tooLarge {
                throw error(.tooLarge, "the head of its response is larger than 16 KiB.")
            } catch {
                throw self.error(.invalidResponse, "the server did not send an HTTP response; check the port.")
            }
            guard let head else { continue }
            guard head.status.rawValue == 101 else {
                return (head, try await Self.body(of: head, after: reader.rest, on: stream))
            }
            try check(head)
            return (nil, reader.rest)
        }
    }

    private var request: [UInt8] {
        let address = plan.address
        let rest = address.url.dropFirst(address.scheme.count + 3)
        let target = rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? ""
        var fields: HTTPHeaders = [
            "Host": String(address.origin.dropFirst(address.scheme.count + 3)), "Upgrade": "websocket",
            "Connection": "Upgrade", "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": WebSocketHandshake.version,
        ]
        if plan.headers["User-Agent"] == nil { fields.append("User-Agent", plan.userAgent) }
        for field in plan.headers where fields[field.name] == nil || field.name == "User-Agent" {
            fields.append(field.name, field.value)
        }
        var text = "GET \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/1.1\r\n"
        for field in fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Checks the fields of a response with status 101. No extension and no subprotocol was requested.
    private func check(_ head: ResponseHead) throws(TransportError) {
        let connection = head.headers.filter { HTTPHeaders.namesAreEqual($0.name, "Connection") }
            .flatMap { $0.value.split(atByte: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard head.headers["Upgrade"]?.lowercased() == "websocket", connection.contains("upgrade"),
            head.headers["Sec-WebSocket-Accept"] == WebSocketHandshake.accept(for: key),
            head.headers["Sec-WebSocket-Extensions"] == nil, head.headers["Sec-WebSocket-Protocol"] == nil
        else {
            throw error(
                .invalidResponse,
                "it accepted a WebSocket connection with wrong header fields; check the proxy in front of it.")
        }
    }

    private static func body(
        of head: ResponseHead, after first: [UInt8], on stream: any ByteStream
    ) async throws -> [UInt8] {
        if let coding = head.headers["Transfer-Encoding"] {
            guard coding.lowercased() == "chunked" else { return [] }
            return try await chunkedBody(after: first, on: stream)
        }
        guard let length = head.headers["Content-Length"].flatMap({ Int($0) }),
            (0...maximumBodyBytes).contains(length)
        else { return [] }
        var body = first
        while body.count < length {
            let bytes = try await bodyBytes(from: stream)
            // An incomplete body says nothing.
            if bytes.isEmpty { return [] }
            body += bytes
        }
        return Array(body.prefix(length))
    }

    private static func chunkedBody(after first: [UInt8], on stream: any ByteStream) async throws -> [UInt8] {
        var (reader, bytes) = (ChunkedBodyReader(maximumBytes: maximumBodyBytes), first)
        repeat {
            // An incomplete or malformed body says nothing.
            do throws(ChunkedBodyReader.Failure) {
                if let body = try reader.append(bytes) { return body }
            } catch { return [] }
            bytes = try await bodyBytes(from: stream)
        } while !bytes.isEmpty
        return []
    }

    /// Returns the next bytes of a body. Empty at its end, and when the connection fails or its time is over: the head
    /// has said already that the request is refused.
    private static func bodyBytes(from stream: any ByteStream) async throws -> [UInt8] {
        do { return try await stream.receive() } catch {
            try Task.checkCancellation()
            return []
        }
    }

    private func error(_ code: TransportError.Code, _ explanation: String) -> TransportError {
        TransportError(code, "Could not reach '\(plan.address.origin)': \(explanation)")
    }
}
