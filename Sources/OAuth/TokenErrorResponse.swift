/// The error response of a token endpoint.
///
/// Source: RFC 6749 §5.2.
package struct TokenErrorResponse: Sendable, Equatable {
    /// The error code, such as `invalid_grant`.
    package let error: String
    /// The server's description of the error, for developers. Nil when there is none.
    package let description: String?
    /// The URL of a page about the error. Nil when there is none.
    package let uri: String?

    /// Parses the body of an error response.
    ///
    /// - Throws: ``OAuthError`` with code ``OAuthError/Code/malformed``.
    package init(parsing body: [UInt8]) throws(OAuthError) {
        let value = try TokenEndpointResponse.object(body)
        guard let error = try TokenEndpointResponse.text(value, "error"), !error.isEmpty else {
            throw OAuthError(.malformed, "The token endpoint's error response contains no 'error'; check the server.")
        }
        self.error = error
        description = try TokenEndpointResponse.text(value, "error_description")
        uri = try TokenEndpointResponse.text(value, "error_uri")
    }
}
