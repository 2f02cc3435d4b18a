public import Crypto
import Wire

/// A token endpoint's good answer.
///
/// Source: RFC 6749 §5.1.
public struct TokenResponse: Sendable, Equatable {
    /// The token to call with.
    public let accessToken: Secret
    /// How long it is good, if told.
    public let expiresIn: Duration?
    /// The token to get a new one with.
    public let refreshToken: Secret?
    /// What was granted, when other than asked for.
    public let scope: String?
    /// The ID token of OpenID Connect.
    public let idToken: Secret?

    /// Reads an answer's body.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/malformed`` when it is no JSON object, a member is missing or
    ///   of another type, or the token type is not bearer (compared without case).
    ///
    /// Source: RFC 6749 §5.1 and §7.1.
    public init(parsing body: [UInt8]) throws(OAuthError) {
        let value = try TokenAnswer.object(body)
        guard let token = try TokenAnswer.text(value, "access_token"), !token.isEmpty,
            try TokenAnswer.text(value, "token_type")?.lowercased() == "bearer"
        else { throw OAuthError(.malformed, "The token answer holds no bearer token; check the server.") }
        if let seconds = value["expires_in"] {
            guard let seconds = seconds.number, seconds >= 0, seconds < 1e10 else {
                throw OAuthError(.malformed, "The token answer's 'expires_in' is no number of seconds.")
            }
            expiresIn = .seconds(Int(seconds))
        } else {
            expiresIn = nil
        }
        accessToken = Secret(token)
        refreshToken = try TokenAnswer.text(value, "refresh_token").map { Secret($0) }
        scope = try TokenAnswer.text(value, "scope")
        idToken = try TokenAnswer.text(value, "id_token").map { Secret($0) }
    }
}
