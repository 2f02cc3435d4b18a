import Crypto
package import HTTPServer

/// What ``SentForms`` compares of a form.
package struct SentForm: Sendable {
    /// The digest of the token of the form, which nobody can guess and no two browsers share.
    let token: SHA256Digest
    /// The digest of the path and the fields.
    let content: SHA256Digest
    /// The digest of the browser's cookie. Nil when the browser sent none.
    let browser: SHA256Digest?

    /// Creates the value of a form.
    ///
    /// - Parameters:
    ///   - request: The request with the form.
    ///   - token: The token of the form.
    ///   - cookie: The value of the cookie that the token was made for. Nil when the browser sent none.
    package init(_ request: ServerRequest, token: String, of cookie: String?) {
        self.init(path: request.path, fields: request.body, token: token, of: cookie)
    }

    init(path: String, fields: [UInt8], token: String, of cookie: String?) {
        self.token = SHA256.digest(token)
        content = SHA256.digest(Array((path + "\n").utf8) + fields)
        browser = Self.browser(cookie)
    }

    /// Creates the value of a callback of an identity provider, which finishes one sign-in, whatever its parameters.
    ///
    /// - Parameters:
    ///   - path: The path of the callback.
    ///   - secret: The secret that the browser keeps in the cookie of the sign-in.
    init(callback path: String, of secret: String) {
        self.init(path: path, fields: [], token: secret, of: secret)
    }

    /// Returns the digest of a cookie's value.
    static func browser(_ cookie: String?) -> SHA256Digest? { cookie.map { SHA256.digest($0) } }
}
