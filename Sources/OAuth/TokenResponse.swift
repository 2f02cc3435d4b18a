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
        let value = try object(body)
        guard let token = try text(value, "access_token"), !token.isEmpty,
            try text(value, "token_type")?.lowercased() == "bearer"
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
        refreshToken = try text(value, "refresh_token").map { Secret($0) }
        scope = try text(value, "scope")
        idToken = try text(value, "id_token").map { Secret($0) }
    }
}

/// A token endpoint's refusal.
///
/// Source: RFC 6749 §5.2.
public struct TokenErrorResponse: Sendable, Equatable {
    /// The error's code, as `invalid_grant`.
    public let error: String
    /// The server's words for a programmer.
    public let description: String?
    /// A page about it.
    public let uri: String?

    /// Reads a refusal's body.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/malformed``.
    public init(parsing body: [UInt8]) throws(OAuthError) {
        let value = try object(body)
        guard let error = try text(value, "error"), !error.isEmpty else {
            throw OAuthError(.malformed, "The token endpoint's refusal holds no 'error'; check the server.")
        }
        self.error = error
        description = try text(value, "error_description")
        uri = try text(value, "error_uri")
    }
}

private func object(_ body: [UInt8]) throws(OAuthError) -> JSONValue {
    guard let value = try? JSONValue(parsing: body), value.members != nil else {
        throw OAuthError(.malformed, "The token endpoint's answer is no JSON object; check the server.")
    }
    return value
}

private func text(_ value: JSONValue, _ name: String) throws(OAuthError) -> String? {
    guard let member = value[name], member != .null else { return nil }
    guard let text = member.string else {
        throw OAuthError(.malformed, "The token endpoint's '\(name)' is no text; check the server.")
    }
    return text
}
