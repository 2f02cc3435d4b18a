/// The id of a dialect, stored with every account. An unknown id is preserved when it is read and written again.
public struct DialectID: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The id as text.
    public let rawValue: String
    /// Makes an id from any text.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id as text.
    public var description: String { rawValue }
}

extension DialectID {
    /// Any server of OAuth 2.1 or OpenID Connect.
    package static let oauth = DialectID(rawValue: "oauth")
}
