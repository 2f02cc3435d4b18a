import HTTPMessages

/// Parses the common parts of successful and error responses of a token endpoint.
enum TokenEndpointResponse {
    /// Parses the body as a JSON object.
    static func object(_ body: [UInt8]) throws(OAuthError) -> JSONValue {
        guard let value = try? JSONValue(parsing: body), value.members != nil else {
            throw OAuthError(.malformed, "The token endpoint's response is not a JSON object; check the server.")
        }
        return value
    }

    /// Returns a string member. Nil when it is missing or null.
    static func text(_ value: JSONValue, _ name: String) throws(OAuthError) -> String? {
        guard let member = value[name], member != .null else { return nil }
        guard let text = member.string else {
            throw OAuthError(.malformed, "The token endpoint's '\(name)' is not a string; check the server.")
        }
        return text
    }
}
