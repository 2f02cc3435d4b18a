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
        let value = try TokenAnswer.object(body)
        guard let error = try TokenAnswer.text(value, "error"), !error.isEmpty else {
            throw OAuthError(.malformed, "The token endpoint's refusal holds no 'error'; check the server.")
        }
        self.error = error
        description = try TokenAnswer.text(value, "error_description")
        uri = try TokenAnswer.text(value, "error_uri")
    }
}
