/// The status code of a response, 100 to 599. Any other number is kept unchanged.
///
/// Source: RFC 9110 §15, RFC 6585 §4 and §5.
public struct HTTPStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The three-digit code.
    public let rawValue: Int

    /// Creates a status from its code, which is not checked.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The code in decimal.
    public var description: String { String(rawValue) }

    /// Whether the code is 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(rawValue) }

    /// Whether the code is 300 to 399.
    public var isRedirect: Bool { (300..<400).contains(rawValue) }

    /// 200 OK.
    public static let ok = HTTPStatus(rawValue: 200)
    /// 201 Created.
    public static let created = HTTPStatus(rawValue: 201)
    /// 204 No Content.
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 206 Partial Content.
    public static let partialContent = HTTPStatus(rawValue: 206)
    /// 302 Found.
    public static let found = HTTPStatus(rawValue: 302)
    /// 303 See Other.
    public static let seeOther = HTTPStatus(rawValue: 303)
    /// 304 Not Modified.
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 400 Bad Request.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401 Unauthorized.
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 403 Forbidden.
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404 Not Found.
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405 Method Not Allowed.
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 408 Request Timeout.
    public static let requestTimeout = HTTPStatus(rawValue: 408)
    /// 412 Precondition Failed.
    public static let preconditionFailed = HTTPStatus(rawValue: 412)
    /// 413 Content Too Large.
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 415 Unsupported Media Type.
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 416 Range Not Satisfiable.
    public static let rangeNotSatisfiable = HTTPStatus(rawValue: 416)
    /// 421 Misdirected Request.
    public static let misdirectedRequest = HTTPStatus(rawValue: 421)
    /// 422 Unprocessable Content.
    public static let unprocessableContent = HTTPStatus(rawValue: 422)
    /// 429 Too Many Requests.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 431 Request Header Fields Too Large.
    public static let requestHeaderFieldsTooLarge = HTTPStatus(rawValue: 431)
    /// 500 Internal Server Error.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 503 Service Unavailable.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
}
