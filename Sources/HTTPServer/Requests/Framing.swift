import HTTPMessages

/// The length of the body according to the header fields, collected field by field.
///
/// Two fields with the same name are refused even when they agree, and so is `Content-Length` together with
/// `Transfer-Encoding`. When a proxy and this server read such a request differently, an attacker can smuggle in a
/// second request.
///
/// Source: RFC 9112 §6.1, §6.3 and §11.2; RFC 9110 §7.2 for `Host`.
struct Framing {
    private(set) var host: String?
    private(set) var expectsContinue = false
    private var contentLength: String?
    private var transferEncoding: String?

    mutating func add(_ field: HTTPHeaders.Field) throws(Refusal) {
        // Only names with these lengths matter here. Most fields are skipped by their length.
        switch field.name.utf8.count {
        case 4 where Token.isName(field.name, "host"):
            guard host == nil else { throw .bad("The request has more than one Host field.") }
            host = field.value
        case 6 where Token.isName(field.name, "expect"):
            guard Token.isName(field.value, "100-continue") else {
                throw Refusal(status: HTTPStatus(rawValue: 417), message: "Only 100-continue is supported in Expect.")
            }
            expectsContinue = true
        case 14 where Token.isName(field.name, "content-length"):
            guard contentLength == nil else { throw .bad("The request has more than one Content-Length field.") }
            contentLength = field.value
        case 17 where Token.isName(field.name, "transfer-encoding"):
            guard transferEncoding == nil else { throw .bad("The request has more than one Transfer-Encoding field.") }
            transferEncoding = field.value
        default: break
        }
    }

    /// Returns the length of the body in bytes, or nil for a chunked body.
    func length(isVersion10: Bool) throws(Refusal) -> Int? {
        if let transferEncoding {
            guard contentLength == nil else {
                throw .bad("The request has both Content-Length and Transfer-Encoding.")
            }
            guard !isVersion10 else { throw .bad("HTTP/1.0 does not support Transfer-Encoding.") }
            guard Token.isName(transferEncoding, "chunked") else {
                throw Refusal(
                    status: HTTPStatus(rawValue: 501), message: "The only supported transfer coding is chunked.")
            }
            return nil
        }
        guard let contentLength else { return 0 }
        guard !contentLength.isEmpty, contentLength.utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
            throw .bad("The Content-Length is not a number.")
        }
        // A number that does not fit in an `Int` exceeds every limit, so the request gets 413.
        return Int(contentLength) ?? Int.max
    }
}
