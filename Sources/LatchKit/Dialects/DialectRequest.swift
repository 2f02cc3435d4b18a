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
    /// The maximum size of the response body in bytes. Nil for 16 MiB.
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

extension DialectRequest: CustomReflectable {
    /// A mirror without the values of header fields and without the body, which may hold a token or password.
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bodyCount": body.count])
    }
}
