import Crypto

/// The hidden field of every form: it tells that the form was made for this browser and no other.
///
/// It is the HMAC of the session's public id, or before a sign-in of a random value in a cookie, so nothing is kept of it
/// and another session's is worth nothing.
///
/// Source: OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "HMAC Based Token Pattern".
struct FormTokens: Sendable {
    /// The name of the field.
    static let field = "form_token"

    /// Whom a form is made for.
    enum Owner: Sendable {
        /// The browser with a session.
        case session(SessionID)
        /// The browser with this value in its cookie.
        case browser(String)
    }

    private let key: Secret

    /// Makes tokens with the gateway's key for forms.
    init(_ keys: BridgeKeys) {
        key = keys.form
    }

    /// The token of a form.
    func token(of owner: Owner) -> String {
        let text =
            switch owner {
            case .session(let id): "session:\(id.rawValue)"
            case .browser(let value): "browser:\(value)"
            }
        return Base64URL.encode(HMACSHA256.code(of: Array(text.utf8), key: key).bytes)
    }

    /// Whether a form's field is the owner's; the time does not depend on where it differs.
    func accepts(_ field: String?, of owner: Owner) -> Bool {
        guard let field else { return false }
        return constantTimeEqual(Array(field.utf8), Array(token(of: owner).utf8))
    }
}
