import HTTPMessages

/// The response to a sign-in, a refresh and an exchange: `{"access_token": …, "token_type": "bearer"}`.
///
/// Source: OX-1; RFC 6749 §5.1 without an expiry.
package struct OnyxTokenResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The opaque token.
    package var accessToken: String
    /// The token type `bearer`, compared without regard to case.
    package var tokenType: String
    /// The token for refreshing, when it differs from the access token. Current servers leave it out.
    package var refreshToken: String?
    /// The lifetime of the access token in seconds. Nil when the server does not send it.
    package var expiresIn: Int?

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
    }

    /// Creates a response with the token type `bearer`.
    package init(accessToken: String) {
        self.accessToken = accessToken
        tokenType = "bearer"
    }

    /// The token type, without the token.
    package var description: String { "OnyxTokenResponse(\(tokenType))" }

    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType]) }
}
