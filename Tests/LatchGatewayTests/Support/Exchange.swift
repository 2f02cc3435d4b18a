import Dispatch
import HTTPMessages
import TestSupport

/// One request over a connection of its own, written and read as bytes.
struct Exchange: Sendable {
    /// The answer as it came.
    struct Response: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONValue? { try? JSONValue(parsing: body) }
        var token: String? { json?["access_token"]?.string }
        /// Where a browser goes on by itself: the address of a redirect, or that of a page which continues.
        var next: String? { headers["Location"] ?? refresh }

        /// The address that a page opens by itself.
        private var refresh: String? {
            let start = "<meta http-equiv=\"refresh\" content=\"0;url="
            guard let found = text.firstRange(of: start) else { return nil }
            return String(text[found.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        }
    }

    struct Broken: Error {}

    let port: UInt16

    func send(
        _ method: String, _ path: String, host: String = "127.0.0.1", headers: [(String, String)] = [],
        body: String? = nil
    ) async throws -> Response {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        text += "\r\n" + (body ?? "")
        let request = Array(text.utf8)
        return try Self.parse(try await onThread { try Self.exchange(request, port) })
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            // A queue of its own has a thread at once; the global one has a few, and waiting fills them.
            DispatchQueue(label: "exchange").async { continuation.resume(with: Result(catching: body)) }
        }
    }

    private static func exchange(_ request: [UInt8], _ port: UInt16) throws -> [UInt8] {
        let socket = try RawSocket(port: Int(port))
        try socket.write(request)
        var response: [UInt8] = []
        while true {
            let bytes = try socket.readSome()
            if bytes.isEmpty { return response }
            response += bytes
        }
    }

    private static func parse(_ bytes: [UInt8]) throws -> Response {
        guard let cut = Bytes.headEnd(in: bytes[...]) else { throw Broken() }
        let lines = String(decoding: bytes[..<cut], as: UTF8.self).split(separator: "\r\n")
        let statusLine = lines.first?.split(separator: " ") ?? []
        guard statusLine.count > 1, let status = Int(statusLine[1]) else { throw Broken() }
        let fields = lines.dropFirst().compactMap { line -> HTTPHeaders.Field? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return HTTPHeaders.Field(name: String(line[..<colon]), value: String(value))
        }
        let (headers, rest) = (HTTPHeaders(fields), bytes[(cut + 4)...])
        let isChunked = headers["Transfer-Encoding"] == "chunked"
        return Response(status: status, headers: headers, body: isChunked ? try joined(rest) : Array(rest))
    }

    /// The content of a chunked body; one that breaks off is no answer.
    ///
    /// Source: RFC 9112 §7.1.
    private static func joined(_ chunks: ArraySlice<UInt8>) throws -> [UInt8] {
        var (rest, content) = (chunks, [] as [UInt8])
        while let end = rest.firstIndex(of: 0x0D),
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16)
        {
            rest = rest[(end + 2)...]
            guard size > 0 else { return content }
            guard rest.count >= size + 2 else { break }
            content += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        throw Broken()
    }
}
