/// How Immich speaks, from 1.123 to 3.x, and every server that speaks like it: the gateway `latchd` with its dialect.
///
/// Its tokens are opaque and end when nobody uses them for a long while; nothing renews them.
///
/// Source: IM-3 to IM-12, IM-16 to IM-18; contract of Immich.
public struct ImmichDialect: PasswordDialect {
    /// The path that a server's API has unless it says otherwise.
    static let usualAPI = "/api"
    /// The header that carries a token where `Authorization` is somebody else's.
    static let tokenHeader = "x-immich-user-token"
    static let acceptsJSON: HTTPHeaders = ["Accept": JSON.mediaType]

    /// The path of the API below the server's address: empty, or beginning with a slash and not ending with one.
    let api: String

    /// Makes the dialect for a server whose API is at `/api`.
    public init() { api = Self.usualAPI }

    init(api: String) { self.api = api }

    /// `immich`.
    public var id: DialectID { DialectID(rawValue: "immich") }
    /// `Immich`.
    public var title: String { "Immich" }

    /// `api`, where it is another path than the usual one.
    public var details: [String: String] { api == Self.usualAPI ? [:] : ["api": api] }
    /// The dialect with the path of `api`.
    public func with(details: [String: String]) -> any Dialect {
        details["api"].map { ImmichDialect(api: $0) } ?? ImmichDialect()
    }

    /// `GET /server/ping`.
    public var probe: DialectRequest { request(.get, "/server/ping") }
    /// `GET /users/me`.
    public var identity: DialectRequest { request(.get, "/users/me") }
    /// `POST /auth/logout`.
    public func signOut(keyID: String?) -> DialectRequest? { request(.post, "/auth/logout") }

    /// `Authorization: Bearer`.
    ///
    /// Source: IM-9; contract of Immich, b.1.
    public func authorization(_ token: Secret) -> HTTPHeaders { ["Authorization": "Bearer " + token.reveal()] }

    /// `x-immich-user-token` where the person sends an `Authorization` of their own, as a proxy in front may want one.
    ///
    /// Source: IM-9; contract of Immich, "Bearer AND x-immich-user-token".
    public func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders {
        extra["Authorization"] == nil ? authorization(token) : [Self.tokenHeader: token.reveal()]
    }

    /// The message of either generation's envelope, with what is wrong with the request.
    public func errorMessage(in answer: ClientResponse) -> String? {
        guard let error = ImmichError(body: answer.body) else { return nil }
        if answer.status == .notFound { return "\(error.message) (it may be in maintenance)" }
        let issues = (error.errors ?? []).map { issue in
            issue.path.isEmpty ? issue.message : "\(issue.path.joined(separator: ".")): \(issue.message)"
        }
        return issues.isEmpty ? error.message : issues.joined(separator: "; ")
    }

    /// `{"res": "pong"}` in JSON; a page with 200 is no server.
    ///
    /// Source: IM-3; contract of Immich, c.
    public func match(_ answer: ClientResponse) -> ServerMatch {
        guard answer.status.isSuccess, let ping = try? JSON.decode(ImmichPing.self, from: answer.body),
            ping.res == "pong"
        else {
            return .notRecognized("its answer to \(probe.path) is no pong (\(InterceptedResponse.sketch(answer)))")
        }
        return .server(ServerFeatures())
    }

    /// Reads who is signed in, of any version: the members that no session can do without.
    public func identity(from answer: ClientResponse) -> Identity? {
        guard answer.status.isSuccess, let user = try? JSONValue(parsing: answer.body),
            let id = user["id"]?.string, !id.isEmpty, let email = user["email"]?.string
        else { return nil }
        let name = user["name"]?.string ?? ""
        var identity = Identity(id: id, email: email, name: name.isEmpty ? nil : name)
        identity.mustChangePassword = user["shouldChangePassword"]?.bool
        return identity
    }

    /// A request of the API.
    func request(_ method: HTTPMethod, _ path: String) -> DialectRequest {
        DialectRequest(method, api + path, headers: Self.acceptsJSON)
    }

    /// A request of the API with a message.
    func request(_ method: HTTPMethod, _ path: String, _ message: some Encodable) -> DialectRequest {
        var request = request(method, path)
        request.headers["Content-Type"] = JSON.mediaType
        request.body = JSON.encode(message)
        return request
    }
}
