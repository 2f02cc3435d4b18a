import HTTPMessages
package import HTTPServer

/// The tokens of a request: a browser's in the cookie, an app's in the `Authorization` field, with the scheme `Bearer`,
/// or with `DPoP` for a token that is bound to a key.
///
/// Source: docs/protocols/onyx.md, Session tokens: the cookie is tried first.
package struct RequestTokens {
    /// The token in the cookie; nil when the server has no cookie or the request has none.
    package private(set) var cookie: String?
    /// The token in the `Authorization` field; nil when there is no such field, more than one, or another scheme.
    package private(set) var bearer: String?
    /// Whether the scheme of ``bearer`` is `DPoP`.
    package private(set) var isProofScheme = false

    /// The token to try first.
    package var first: String? { cookie ?? bearer }
    /// The token to try when ``first`` is not accepted.
    package var second: String? { cookie == nil ? nil : bearer }

    /// Whether a request has an `Authorization` field with the scheme `Bearer`.
    static func hasBearer(_ request: ServerRequest) -> Bool {
        request.headers.values("Authorization").contains { $0.lowercased().hasPrefix("bearer ") }
    }

    /// Reads the header fields in one pass, because this code runs for most requests.
    package init(_ request: ServerRequest, cookie kind: SessionCookie?) {
        var authorizations = 0
        for field in request.headers.fields {
            switch field.name.utf8.count {
            case 13 where HTTPHeaders.namesAreEqual(field.name, "authorization"):
                authorizations += 1
                bearer = authorizations == 1 ? BearerToken.credentials(field.value) : nil
                if bearer == nil, authorizations == 1 {
                    bearer = BearerToken.credentials(field.value, scheme: BearerToken.proofScheme)
                    isProofScheme = bearer != nil
                }
            case 6 where HTTPHeaders.namesAreEqual(field.name, "cookie"):
                if let kind, cookie == nil { cookie = kind.token(in: field.value) }
            default: break
            }
        }
    }
}
