import Crypto
package import GatewayCore
import SignInBridge

/// The hidden field of every form, which proves that the form was made for this browser.
///
/// It is the HMAC of the session's public id, or, before a sign-in, of a random value in a cookie. Nothing is stored,
/// and a token of another session is rejected.
///
/// Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "HMAC Based Token Pattern".
package struct FormTokens: Sendable {
    /// The name of the field.
    static let field = "form_token"

    /// The browser that a form is made for.
    enum Owner: Sendable {
        /// A browser with a session.
        case session(SessionID)
        /// A browser without a session, with this value in its ``FormCookie``.
        case browser(String)
    }

    private let key: Secret

    /// Makes tokens with the gateway's key for forms.
    init(_ keys: BridgeKeys) {
        key = keys.form
    }

    /// Returns the token of a form.
    func token(of owner: Owner) -> String {
        let text =
            switch owner {
            case .session(let id): "session:\(id.rawValue)"
            case .browser(let value): "browser:\(value)"
            }
        return Base64URL.encode(HMACSHA256.code(of: Array(text.utf8), key: key).bytes)
    }

    /// Returns the token of a form for a browser with a session.
    package func token(ofSession id: SessionID) -> String { token(of: .session(id)) }

    /// Whether a form's field matches the owner's token. Compares in constant time.
    func accepts(_ field: String?, of owner: Owner) -> Bool {
        guard let field else { return false }
        return constantTimeEqual(Array(field.utf8), Array(token(of: owner).utf8))
    }
}
