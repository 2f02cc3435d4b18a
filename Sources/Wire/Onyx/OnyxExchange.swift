/// The body of `POST /auth/mobile/sso/exchange`: a one-time code and the verifier that its challenge was made of.
///
/// Source: OX-5; contract of Onyx, endpoints.
public struct OnyxExchange: Codable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The code of the deep link.
    public var code: String
    /// The app's PKCE verifier.
    public var codeVerifier: String

    enum CodingKeys: String, CodingKey {
        case code
        case codeVerifier = "code_verifier"
    }

    /// Makes a body.
    public init(code: String, codeVerifier: String) {
        self.code = code
        self.codeVerifier = codeVerifier
    }

    /// Neither is ever described.
    public var description: String { "OnyxExchange" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
