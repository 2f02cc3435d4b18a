package import HTTPMessages

/// The body of `POST /auth/token`: `code`, `state` and `redirect_uri`. The server has the verifier.
///
/// Source: TT-4; docs/protocols/time-tracker.md, Token request.
package struct TimeTrackerTokenRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The code that the client received at its redirect address.
    package let code: String
    /// The state that the client received with the code.
    package let state: String
    /// The client's redirect address at the start of the sign-in.
    package let redirectURI: String
    /// The issuer that the provider sent with the code. Nil when the client does not pass it on.
    ///
    /// Source: RFC 9207 §2.
    package let issuer: String?

    /// An error for missing members of the request.
    package struct Missing: Error, Equatable {
        /// The names of the missing members, in the order of the error message.
        package let names: [String]
    }

    /// Creates a request.
    package init(code: String, state: String, redirectURI: String, issuer: String? = nil) {
        self.code = code
        self.state = state
        self.redirectURI = redirectURI
        self.issuer = issuer
    }

    /// Reads a request from a JSON body. A value that is false in JavaScript counts as missing. Any other value that is
    /// not a string is read as the empty string, which is never valid.
    ///
    /// - Throws: ``Missing``.
    package init(_ body: JSONValue) throws(Missing) {
        try self.init { name in
            switch body[name] {
            case nil, .null?, .bool(false)?, .number(0)?, .string("")?: nil
            case .string(let text)?: text
            default: ""
            }
        }
    }

    /// Reads a request from a form. A name that occurs twice is read as the empty string, which is never valid.
    ///
    /// - Throws: ``Missing``.
    package init(_ form: FormFields) throws(Missing) {
        try self.init { name in
            let values = form.values(name)
            return values.count > 1 ? "" : values.first.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    private init(_ text: (String) -> String?) throws(Missing) {
        let (code, state, redirect) = (text("code"), text("state"), text("redirect_uri"))
        guard let code, let state, let redirect else {
            let all = [("code", code), ("state", state), ("redirect_uri", redirect)]
            throw Missing(names: all.filter { $0.1 == nil }.map(\.0))
        }
        self.init(code: code, state: state, redirectURI: redirect, issuer: text("iss"))
    }

    /// The request as JSON.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("code", .string(code)), .init("state", .string(state)), .init("redirect_uri", .string(redirectURI)),
        ]
        if let issuer { members.append(.init("iss", .string(issuer))) }
        return .object(members)
    }

    /// The name of the type, without code and state.
    package var description: String { "TimeTrackerTokenRequest" }

    /// An empty mirror, so that dumps show no secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
