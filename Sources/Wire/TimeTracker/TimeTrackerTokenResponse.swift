/// The answer to `POST /auth/token`: `{"access_token", "token_type", "expires_in", "user"}`.
///
/// Source: TT-13; specification of Time Tracker §4; contract of Time Tracker, (a).
public struct TimeTrackerTokenResponse: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// A JSON web token, to be sent as a bearer.
    public var accessToken: String
    /// `Bearer`, compared without case.
    public var tokenType: String
    /// For how many seconds the token is good; a client need not know.
    public var expiresIn: Int?
    /// Who signed in.
    public var user: TimeTrackerUser

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case user
    }

    /// Makes an answer of type `Bearer`.
    public init(accessToken: String, expiresIn: Int?, user: TimeTrackerUser) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.user = user
    }

    /// The type alone; the token is never described.
    public var description: String { "TimeTrackerTokenResponse(\(tokenType))" }

    /// A mirror without the token.
    public var customMirror: Mirror { Mirror(self, children: ["tokenType": tokenType, "user": user]) }
}
