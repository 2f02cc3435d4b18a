/// What a client brings to `POST /auth/token`: `code`, `state` and `redirect_uri`. The server has the verifier.
///
/// Source: TT-4; contract of Time Tracker, (a) and b.1.
public struct TimeTrackerTokenRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// The code that came to the client's address.
    public let code: String
    /// The state that came with it.
    public let state: String
    /// The client's address, as it was when the sign-in began.
    public let redirectURI: String
    /// The provider that says it sent the code, where the client hands that on.
    ///
    /// Source: RFC 9207 §2.
    public let issuer: String?

    /// What is missing.
    public struct Missing: Error, Equatable {
        /// The names, in the order in which they are told.
        public let names: [String]
    }

    /// Makes a request.
    public init(code: String, state: String, redirectURI: String, issuer: String? = nil) {
        self.code = code
        self.state = state
        self.redirectURI = redirectURI
        self.issuer = issuer
    }

    /// Takes a JSON body. What JavaScript takes for false is missing; what is there and no text is empty text, which nobody
    /// knows.
    ///
    /// - Throws: ``Missing``.
    public init(_ body: JSONValue) throws(Missing) {
        try self.init { name in
            switch body[name] {
            case nil, .null?, .bool(false)?, .number(0)?, .string("")?: nil
            case .string(let text)?: text
            default: ""
            }
        }
    }

    /// Takes a form. A name that stands there twice is no text.
    ///
    /// - Throws: ``Missing``.
    public init(_ form: FormFields) throws(Missing) {
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

    /// The body for the server.
    public var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("code", .string(code)), .init("state", .string(state)), .init("redirect_uri", .string(redirectURI)),
        ]
        if let issuer { members.append(.init("iss", .string(issuer))) }
        return .object(members)
    }

    /// Neither code nor state is ever described.
    public var description: String { "TimeTrackerTokenRequest" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
