/// A request method, in the case used in requests: `GET`, `POST`.
///
/// Methods are case-sensitive. An unknown method is kept unchanged.
///
/// Source: RFC 9110 §9.1.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The token of the method, as it is sent.
    public let rawValue: String

    /// Creates a method from its token, which is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The token of the method.
    public var description: String { rawValue }

    /// `GET`, RFC 9110 §9.3.1.
    public static let get = HTTPMethod(rawValue: "GET")
    /// `HEAD`, RFC 9110 §9.3.2.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// `POST`, RFC 9110 §9.3.3.
    public static let post = HTTPMethod(rawValue: "POST")
    /// `PUT`, RFC 9110 §9.3.4.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// `DELETE`, RFC 9110 §9.3.5.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// `OPTIONS`, RFC 9110 §9.3.7.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// `PATCH`, RFC 5789 §2.
    public static let patch = HTTPMethod(rawValue: "PATCH")
}
