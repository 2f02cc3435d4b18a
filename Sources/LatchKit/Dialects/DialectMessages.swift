public import FoundationEssentials

/// A request below a server's address.
public struct DialectRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The path below the address, with a query if there is one.
    public var path: String
    /// Header fields besides the token's.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// The address that the path is below. Nil for the account's server; otherwise the server that issues its sessions.
    public var base: ServerAddress?

    /// Makes a request.
    public init(
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
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bodyCount": body.count])
    }
}

/// Whether the response to a probe came from a server of the family.
public enum ServerMatch: Sendable {
    /// It came from one. The features are those that the server announces.
    case server(ServerFeatures)
    /// It came from something else. The sentence says what responded instead.
    case notRecognized(String)
}

/// A token and what came with it.
///
/// Source: RFC 6749 §5.1.
public struct Grant: Sendable {
    /// The token.
    public var token: Secret
    /// The refresh token, when the family has one.
    public var refreshToken: Secret?
    /// How long the token is valid. Nil when the server does not say.
    public var lifetime: Duration?
    /// The id of the API key on the server, when the token is a key.
    public var keyID: String?
    /// The scopes of the API key, when the token is a key.
    public var scopes: [String]?
    /// The person, when the response names one. Otherwise the server is asked.
    public var identity: Identity?
    /// Whether the server requires a password change before anything else.
    public var mustChangePassword = false
    /// The API key that was created for this sign-in, with the means to revoke it.
    var made: CreatedKey?

    /// Makes a grant.
    public init(token: Secret, refreshToken: Secret? = nil, lifetime: Duration? = nil) {
        self.token = token
        self.refreshToken = refreshToken
        self.lifetime = lifetime
    }

    /// When the token expires. Nil when the server does not say.
    public func expires(from now: Date) -> Date? {
        lifetime.map { now.addingTimeInterval(TimeInterval($0.components.seconds)) }
    }
}

/// The signed-in person, as reported by the server.
public struct Identity: Sendable, Hashable {
    /// The person's id on that server.
    public var id: String
    /// The e-mail address.
    public var email: String
    /// The person's name. Nil when the server has none.
    public var name: String?
    /// The person's scopes. Empty when the server does not say.
    public var scopes: [String]
    /// When the token expires. Nil when the server does not say.
    public var tokenExpires: Date?
    /// Whether the server requires a password change before anything else. Nil when the server does not say.
    public var mustChangePassword: Bool?

    /// Makes an identity.
    public init(id: String, email: String, name: String? = nil, scopes: [String] = [], tokenExpires: Date? = nil) {
        self.id = id
        self.email = email
        self.name = name
        self.scopes = scopes
        self.tokenExpires = tokenExpires
    }
}

/// What a response says about the session of its request.
///
/// Source: ARCHITECTURE.md, invariants: the client ends a session only when the server itself says so.
public enum AuthenticationOutcome: Sendable, Equatable {
    /// The response is the server's own, whether success or error. The session is valid.
    case answered
    /// The server rejects the token.
    case rejected(Rejection)
    /// The server failed or asks for a pause. Nothing is known about the session.
    case failing
    /// The response is not the server's own. The sentence says who sent it or how that is known.
    case intercepted(String)
}

/// A server's refusal of a token.
public struct Rejection: Sendable, Hashable {
    /// The server's error code, such as `SESSION_EXPIRED`, or `unauthorized` when it sends none.
    public var reason: String
    /// The reason for people, as the end of "You were signed out because …".
    public var sentence: String
    /// Whether only a server of this family responds this way. Otherwise the session asks the server again before it
    /// ends.
    public var isUnmistakable: Bool

    /// Makes a rejection.
    public init(reason: String, sentence: String, isUnmistakable: Bool) {
        self.reason = reason
        self.sentence = sentence
        self.isUnmistakable = isUnmistakable
    }
}

extension ClientResponse {
    /// Whether the server has no such route, or not with that method.
    var isUnknownRoute: Bool { status == .notFound || status == .methodNotAllowed }
}
