import Crypto
import HTTPMessages

/// A request below a server's address.
package struct DialectRequest: Sendable, Equatable {
    /// The method.
    package var method: HTTPMethod
    /// The path below the address, with a query if there is one.
    package var path: String
    /// Header fields other than the token's.
    package var headers: HTTPHeaders
    /// The body.
    package var body: [UInt8]
    /// The address that the path is below. Nil for the account's server; otherwise the server that issues its sessions.
    package var base: ServerAddress?
    /// The field of the form in the body that carries the token. Nil when header fields carry it.
    package var tokenField: String?
    /// The maximum size of the response body in bytes. Nil for 16 MiB, and for 1 MiB where there is no session.
    package var maximumBodyBytes: Int?

    /// Makes a request.
    package init(
        _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8] = [],
        base: ServerAddress? = nil
    ) {
        self.base = base
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
    }
}

extension Dialect {
    /// Returns a request with a token: in the field of its form, otherwise in the header fields of the family.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - token: The token.
    ///   - extra: The fields that the connection sends with every request.
    /// - Returns: The request to send.
    func authorize(_ request: DialectRequest, with token: Secret, besides extra: HTTPHeaders) -> DialectRequest {
        var request = request
        if let field = request.tokenField {
            request.body += Array(("&" + FormURLEncoded.encode([(field, token.reveal())])).utf8)
        } else {
            for field in authorization(token, besides: extra) { request.headers[field.name] = field.value }
        }
        return request
    }
}

extension DialectRequest: CustomReflectable {
    /// A mirror without the values of header fields and without the body, which may hold a token or password.
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bodyCount": body.count])
    }
}
