import HTTPServer
import Wire

/// The tokens that a request brings: a browser's in its cookie, an app's in the `Authorization` field.
///
/// Source: contract of Onyx, b.6: the cookie is tried first.
struct RequestTokens {
    /// The browser's; nil where the server has no cookie, or the request.
    private(set) var cookie: String?
    /// The app's; nil when there is none, two fields, or another scheme.
    private(set) var bearer: String?

    /// The token to try.
    var first: String? { cookie ?? bearer }
    /// The token to try when ``first`` opens nothing.
    var second: String? { cookie == nil ? nil : bearer }

    /// Looks through the fields once: every request comes here.
    init(_ request: ServerRequest, cookie kind: SessionCookie?) {
        var authorizations = 0
        for field in request.headers.fields {
            switch field.name.utf8.count {
            case 13 where HTTPHeaders.namesAreEqual(field.name, "authorization"):
                authorizations += 1
                bearer = authorizations == 1 ? BearerToken.credentials(field.value) : nil
            case 6 where HTTPHeaders.namesAreEqual(field.name, "cookie"):
                if let kind, cookie == nil { cookie = kind.token(in: field.value) }
            default: break
            }
        }
    }
}
