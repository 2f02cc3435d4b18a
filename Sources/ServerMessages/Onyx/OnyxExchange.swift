import HTTPMessages

/// The body of `POST /auth/mobile/sso/exchange`: a one-time code, and the verifier from which its challenge was made.
///
/// Source: OX-5; docs/protocols/onyx.md, Code exchange.
package struct OnyxExchange: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The one-time code from the deep link.
    package var code: String
    /// The app's PKCE verifier.
    package var codeVerifier: String

    enum CodingKeys: String, CodingKey {
        case code
        case codeVerifier = "code_verifier"
    }

    /// Creates a request body.
    package init(code: String, codeVerifier: String) {
        self.code = code
        self.codeVerifier = codeVerifier
    }

    /// The name of the type, without code and verifier.
    package var description: String { "OnyxExchange" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
