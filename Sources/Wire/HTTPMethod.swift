/// A request method, in the case the wire has it: `GET`, `POST`.
///
/// Methods are case-sensitive; an unknown one survives the round trip.
///
/// Source: RFC 9110 §9.1.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method's token as it stands on the wire.
    public let rawValue: String

    /// Makes a method from its token; the token is not checked.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The method's token.
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
