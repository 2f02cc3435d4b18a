package import Crypto
import HTTPMessages

/// The response to an authorization request, sent to the redirect address.
///
/// Source: RFC 6749 §4.1.2; RFC 9207 §2.
package enum AuthorizationResponse: Sendable, Equatable {
    /// The person consented. The value is the code to redeem.
    case code(Secret)
    /// The server refused, with its `error`, `error_description` and `error_uri`.
    case error(String, description: String?, uri: String?)

    /// Parses a callback.
    ///
    /// - Parameters:
    ///   - callbackURL: The complete URL of the callback.
    ///   - expectedRedirect: The redirect address of the request. Everything before the query must be the same.
    ///   - expectedState: The `state` of the request.
    ///   - expectedIssuer: The issuer, if it announced that it sends `iss`. Then `iss` is required.
    /// - Returns: The code or the server's error.
    /// - Throws: ``OAuthError``, with ``OAuthError/Code/malformed`` for a repeated parameter.
    ///
    /// Source: RFC 6749 §3.1, §4.1.2 and §10.12; RFC 9207 §2.4.
    package static func parse(
        callbackURL: String, expectedRedirect: String, expectedState: State, expectedIssuer: String? = nil
    ) throws(OAuthError) -> AuthorizationResponse {
        let fields = try fields(callbackURL, expectedRedirect)
        for name in ["state", "code", "iss", "error", "error_description", "error_uri"] {
            guard fields.values(name).count <= 1 else {
                throw OAuthError(.malformed, "The callback contains '\(name)' twice; start the sign-in again.")
            }
            // The state is checked before all other parameters.
            guard name != "state" || fields[name].map(State.init) == expectedState else {
                throw OAuthError(
                    .stateMismatch, "The callback does not belong to this sign-in; start the sign-in again.")
            }
        }
        if let expectedIssuer, fields["iss"] != expectedIssuer {
            throw OAuthError(
                .issuerMismatch, "The callback does not come from '\(expectedIssuer)'; do not continue the sign-in.")
        }
        switch (fields["code"], fields["error"]) {
        case (let code?, nil) where !code.isEmpty: return .code(Secret(code))
        case (nil, let error?) where !error.isEmpty:
            return .error(error, description: fields["error_description"], uri: fields["error_uri"])
        default:
            throw OAuthError(.malformed, "The callback contains neither a code nor an error; start the sign-in again.")
        }
    }

    /// Returns whether a callback has the address `expectedRedirect` and contains `expectedState` exactly once. Nothing
    /// else is checked.
    ///
    /// Source: RFC 6749 §10.12; RFC 8252 §8.9.
    package static func belongs(callbackURL: String, expectedRedirect: String, expectedState: State) -> Bool {
        guard let fields = try? fields(callbackURL, expectedRedirect) else { return false }
        let states = fields.values("state")
        return states.count == 1 && State(states[0]) == expectedState
    }

    /// Returns the `state` of a callback with the address `expectedRedirect`. Nil when the address differs or there is
    /// not exactly one nonempty state.
    ///
    /// Intended for sign-ins where the server creates the state. Nothing else is checked.
    package static func state(of callbackURL: String, expectedRedirect: String) -> State? {
        guard let fields = try? fields(callbackURL, expectedRedirect), fields.values("state").count == 1 else {
            return nil
        }
        return fields["state"].flatMap { $0.isEmpty ? nil : State($0) }
    }

    private static func fields(_ callback: String, _ redirect: String) throws(OAuthError) -> FormFields {
        let withoutFragment = callback.utf8.prefix { $0 != UInt8(ascii: "#") }
        let expected = redirect.utf8.prefix { $0 != UInt8(ascii: "?") }
        let base = withoutFragment.prefix { $0 != UInt8(ascii: "?") }
        guard base.elementsEqual(expected), !base.isEmpty else {
            throw OAuthError(
                .otherRedirect, "The callback arrived at another address than requested; start the sign-in again.")
        }
        do throws(MessageError) {
            return try FormURLEncoded.decode(Array(withoutFragment.dropFirst(base.count + 1)))
        } catch {
            throw OAuthError(.malformed, "The callback is malformed: \(error.message)")
        }
    }
}
