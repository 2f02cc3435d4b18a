import HTTPMessages

/// The response to `POST /auth/token`: `{"access_token", "token_type", "expires_in", "user"}`.
///
/// Source: TT-13; docs/protocols/time-tracker.md, Token request.
package struct TimeTrackerTokenResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// A JSON Web Token, sent as a bearer token.
    package var accessToken: String
    /// The token type `Bearer`, compared without regard to case.
    package var tokenType: String
    /// The lifetime of the token in seconds. Clients may ignore it.
    package var expiresIn: Int?
    /// The person who signed in.
    package var user: TimeTrackerUser

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case user
    }

    /// Creates a response with the token type `Bearer`.
    package init(accessToken: String, expiresIn: Int?, user: TimeTrackerUser) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.user = user
    }

    /// The token type, without the token.
    package var description: String { "TimeTrackerTokenResponse(\(tokenType))" }

    /// A mirror without the token.
    package var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType, "user": user]) }
}
