/// The answer to a sign-in, a refresh and an exchange: `{"access_token": …, "token_type": "bearer"}`.
///
/// Source: OX-1; RFC 6749 §5.1 without an expiry.
public struct OnyxTokenResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    public var accessToken: String
    /// `bearer`, compared without case.
    public var tokenType: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
    }

    /// Makes an answer of type `bearer`.
    public init(accessToken: String) {
        self.accessToken = accessToken
        tokenType = "bearer"
    }

    /// The type alone; the token is never described.
    public var description: String { "OnyxTokenResponse(\(tokenType))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType]) }
}
