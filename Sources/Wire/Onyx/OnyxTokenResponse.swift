/// The answer to a sign-in, a refresh and an exchange: `{"access_token": …, "token_type": "bearer"}`.
///
/// Source: OX-1; RFC 6749 §5.1 without an expiry.
public struct OnyxTokenResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    public var accessToken: String
    /// `bearer`, compared without case.
    public var tokenType: String
    /// The token to refresh with, where it is another one; the servers of today leave it out.
    public var refreshToken: String?
    /// For how many seconds the access token works, where the client must know.
    public var expiresIn: Int?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
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
