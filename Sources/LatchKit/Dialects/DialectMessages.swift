public import FoundationEssentials

/// A request below a server's address.
public struct DialectRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The path below the address, with a query if need be.
    public var path: String
    /// Header fields besides the token's.
    public var headers: HTTPHeaders
    /// The body.
    public var body: [UInt8]
    /// The address that the path is below; nil for the account's own server. Another one is where that server's sessions
    /// come from.
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

/// Whether an answer to a dialect's question came from such a server.
public enum Recognition: Sendable {
    /// It did, and this is what the server tells of itself.
    case server(ServerFeatures)
    /// It did not; the sentence says what came instead.
    case stranger(String)
}

/// A token and what came with it.
///
/// Source: RFC 6749 §5.1.
public struct Grant: Sendable {
    /// The token.
    public var token: Secret
    /// The token to renew with, where it is another one.
    public var refreshToken: Secret?
    /// How long the token works, where the server tells.
    public var lifetime: Duration?
    /// The server's id of the token, where it is a key.
    public var keyID: String?
    /// What the key may do, where it is one.
    public var scopes: [String]?
    /// Who it is for, where that came along; else the server is asked.
    public var identity: Identity?
    /// Whether the server wants another password before anything else.
    public var mustChangePassword = false
    /// Where the server made a key for this sign-in: how that is undone.
    var made: MadeKey?

    /// Makes a grant.
    public init(token: Secret, refreshToken: Secret? = nil, lifetime: Duration? = nil) {
        self.token = token
        self.refreshToken = refreshToken
        self.lifetime = lifetime
    }

    /// When the token ends, where the server tells.
    public func expires(from now: Date) -> Date? {
        lifetime.map { now.addingTimeInterval(TimeInterval($0.components.seconds)) }
    }
}

/// Who is signed in, as the server says.
public struct Identity: Sendable, Hashable {
    /// The person's id on that server.
    public var id: String
    /// The e-mail address.
    public var email: String
    /// The person's name, where the server has one.
    public var name: String?
    /// What the person may do, where the server tells.
    public var scopes: [String]
    /// When the token ends, where the server tells.
    public var tokenExpires: Date?
    /// Whether the server requires a password change before anything else; nil where it does not tell.
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

/// What an answer says about the session that the request belonged to.
///
/// Source: invariant 4: only a server that answered can sign anyone out.
public enum Verdict: Sendable, Equatable {
    /// The server's own answer, good or bad; the session stands.
    case answered
    /// The server does not take the token.
    case rejected(Rejection)
    /// The server failed or wants a pause; nothing is known about the session.
    case failing
    /// Somebody else answered; the sentence says who or how that shows.
    case foreign(String)
}

/// A server's refusal of a token.
public struct Rejection: Sendable, Hashable {
    /// The server's word, such as `SESSION_EXPIRED`, or `unauthorized` where it gives none.
    public var reason: String
    /// The reason for people, as the end of "You were signed out because …".
    public var sentence: String
    /// Whether no other program would say it that way; otherwise the session asks the server again before it ends.
    public var isUnmistakable: Bool

    /// Makes a rejection.
    public init(reason: String, sentence: String, isUnmistakable: Bool) {
        self.reason = reason
        self.sentence = sentence
        self.isUnmistakable = isUnmistakable
    }
}

extension ClientResponse {
    /// Whether the server knows no such path, or not with that method.
    var isUnknownRoute: Bool { status == .notFound || status == .methodNotAllowed }
}
