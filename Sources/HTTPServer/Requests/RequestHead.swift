import CMicroHTTPD
import HTTPMessages

/// The header fields of a request, parsed a second time from the buffer that libmicrohttpd parsed in place, and more
/// strictly.
///
/// libmicrohttpd 0.9.75 overwrites the end of each token: the colon with NUL, CRLF with two NULs, a bare LF with one. A
/// well-formed head is therefore exactly
///
///     method 0 target 0 version 0 0 (name 0 value 0 0)* 0 0
///
/// A bare LF, a NUL in a value, a folded line or white space before the colon breaks that structure. The number of
/// fields must equal that of libmicrohttpd, so that both parsers see the same fields. One case cannot be detected: a
/// NUL directly before a bare LF leaves the same two NULs as CRLF and is read as the end of a line.
///
/// Source: RFC 9112 §2.2, §5 and §6; `get_next_header_line` and `process_header_line` of libmicrohttpd 0.9.75.
struct RequestHead {
    /// The maximum number of header fields. A request with more fields gets 431.
    static let maximumFields = 100

    let method: HTTPMethod
    let headers: HTTPHeaders
    let isVersion10: Bool
    /// The length of the body in bytes. Nil for a chunked body.
    let contentLength: Int?
    let expectsContinue: Bool

    /// Parses the head of `count` bytes at `start`. `targetOffset` and `targetCount` are the position and length of the
    /// target in it.
    init(
        start: UnsafePointer<UInt8>, count: Int, targetOffset: Int, targetCount: Int, fieldCount: Int
    ) throws(Refusal) {
        let bytes = UnsafeBufferPointer(start: start, count: count)
        guard fieldCount <= Self.maximumFields else {
            throw Refusal(status: .requestHeaderFieldsTooLarge, message: "The request has too many header fields.")
        }
        method = try Self.method(bytes, endingAt: targetOffset - 1)
        var position = targetOffset + targetCount + 1
        isVersion10 = try Self.version(bytes, &position)
        headers = try Self.fields(bytes, from: position)
        guard headers.fields.count == fieldCount else { throw .bad("The header is malformed.") }
        var framing = Framing()
        for field in headers.fields { try framing.add(field) }
        contentLength = try framing.length(isVersion10: isVersion10)
        // A server must ignore the expectation of an HTTP/1.0 client. See RFC 9110 §10.1.1.
        expectsContinue = framing.expectsContinue && !isVersion10
        if let host = framing.host { try Self.check(host: host) }
    }

    private static func method(_ bytes: UnsafeBufferPointer<UInt8>, endingAt end: Int) throws(Refusal) -> HTTPMethod {
        guard (1...32).contains(end), end < bytes.count, bytes[end] == 0,
            bytes[..<end].allSatisfy({ Token.isByte($0) })
        else { throw .bad("The request line is malformed.") }
        let slice = UnsafeBufferPointer(rebasing: bytes[..<end])
        for known in [HTTPMethod.get, .post] where known.rawValue.utf8.elementsEqual(slice) { return known }
        return HTTPMethod(rawValue: String(decoding: slice, as: UTF8.self))
    }

    private static func version(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) throws(Refusal) -> Bool {
        // The version is "HTTP/1.x", followed by two NULs. libmicrohttpd has checked the first seven bytes.
        guard position + 10 <= bytes.count, bytes[position - 1] == 0, bytes[position] == UInt8(ascii: "H"),
            bytes[position + 8] == 0, bytes[position + 9] == 0
        else { throw .bad("The request line is malformed.") }
        let minor = bytes[position + 7]
        position += 10
        guard minor == UInt8(ascii: "0") || minor == UInt8(ascii: "1") else {
            throw Refusal(status: HTTPStatus(rawValue: 505), message: "The server supports only HTTP/1.1 and HTTP/1.0.")
        }
        return minor == UInt8(ascii: "0")
    }

    private static func fields(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) throws(Refusal) -> HTTPHeaders {
        var fields: [HTTPHeaders.Field] = []
        fields.reserveCapacity(12)
        var position = start
        while true {
            guard position + 2 <= bytes.count else { throw .bad("The header is malformed.") }
            if bytes[position] == 0 {
                guard bytes[position + 1] == 0, position + 2 == bytes.count else {
                    throw .bad("The header is malformed.")
                }
                return HTTPHeaders(fields)
            }
            fields.append(try field(bytes, &position))
        }
    }

    private static func field(
        _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int
    ) throws(Refusal) -> HTTPHeaders.Field {
        let nameStart = position
        while position < bytes.count, Token.isByte(bytes[position]) { position += 1 }
        guard position > nameStart, position < bytes.count, bytes[position] == 0 else {
            throw .bad("A header field's name is invalid.")
        }
        let name = UnsafeBufferPointer(rebasing: bytes[nameStart..<position])
        position += 1
        var valueStart = position
        var allBits: UInt8 = 0
        while position < bytes.count, Token.isValueByte(bytes[position]) {
            allBits |= bytes[position]
            position += 1
        }
        guard position + 1 < bytes.count, bytes[position] == 0, bytes[position + 1] == 0 else {
            throw .bad("A header field's value is invalid.")
        }
        var valueEnd = position
        position += 2
        while valueStart < valueEnd, Token.isSpace(bytes[valueStart]) { valueStart += 1 }
        while valueEnd > valueStart, Token.isSpace(bytes[valueEnd - 1]) { valueEnd -= 1 }
        let value = UnsafeBufferPointer(rebasing: bytes[valueStart..<valueEnd])
        let text = String(decoding: value, as: UTF8.self)
        // A comparison of the value must stay cheap, see StreamSafeText.
        guard allBits < 0x80 || StreamSafeText.isStreamSafe(text) else {
            throw .bad("A header field's value is invalid.")
        }
        return HTTPHeaders.Field(name: String(decoding: name, as: UTF8.self), value: text)
    }

    private static func check(host: String) throws(Refusal) {
        guard host.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) || "%!$&'()*+,;=:[]".utf8.contains($0) }) else {
            throw .bad("The Host field is invalid.")
        }
    }
}
