import Crypto
import HTTPClient
import HTTPMessages
import ServerMessages

/// The dialect of Immich from 1.123 to 3.x, and of every server with the same protocol, such as the gateway `latchd`.
///
/// Tokens are opaque, cannot be renewed, and expire after a long time without use.
///
/// Source: IM-3 to IM-12, IM-16 to IM-18; docs/protocols/immich.md.
package struct ImmichDialect: PasswordDialect {
    /// The default path of a server's API.
    static let usualAPI = "/api"
    /// The header field that carries a token when `Authorization` is used for something else.
    static let tokenHeader = "x-immich-user-token"
    static let acceptsJSON: HTTPHeaders = ["Accept": JSON.mediaType]

    /// The path of the API below the server's address: empty, or beginning with a slash and not ending with one.
    let api: String

    /// Makes the dialect for a server whose API is at `/api`.
    package init() { api = Self.usualAPI }

    init(api: String) { self.api = api }

    /// `immich`.
    package var id: DialectID { DialectID(rawValue: "immich") }
    /// `Immich`.
    package var title: String { "Immich" }
    /// Whether the server has a picture library: always true.
    package var hasPictureLibrary: Bool { true }

    /// The path of the API under the key `api`, if it is not the default.
    package var details: [String: String] { api == Self.usualAPI ? [:] : ["api": api] }
    /// Returns the dialect with the API path in `details`.
    package func with(details: [String: String]) -> any Dialect {
        details["api"].map { ImmichDialect(api: $0) } ?? ImmichDialect()
    }

    /// The request that identifies the family: `GET /server/ping`.
    package var probe: DialectRequest { request(.get, "/server/ping") }
    /// The request that asks who is signed in: `GET /users/me`.
    package var identity: DialectRequest { request(.get, "/users/me") }
    /// Returns the request that ends the session: `POST /auth/logout`.
    package func signOut(keyID: String?) -> DialectRequest? { request(.post, "/auth/logout") }

    /// Returns `Authorization: Bearer` with the token.
    ///
    /// Source: IM-9; docs/protocols/immich.md, Tokens.
    package func authorization(_ token: Secret) -> HTTPHeaders { ["Authorization": "Bearer " + token.reveal()] }

    /// Returns the token in `x-immich-user-token` when the person's extra fields contain `Authorization`, for example
    /// for a proxy in front of the server.
    ///
    /// Source: IM-9; docs/protocols/immich.md, Tokens.
    package func authorization(_ token: Secret, besides extra: HTTPHeaders) -> HTTPHeaders {
        extra["Authorization"] == nil ? authorization(token) : [Self.tokenHeader: token.reveal()]
    }

    /// Returns the message in the error envelope of either generation, with the validation errors of the request.
    package func errorMessage(in response: ClientResponse) -> String? {
        guard let error = ImmichError(body: response.body) else { return nil }
        if response.status == .notFound { return "\(error.message) (it may be in maintenance)" }
        let issues = (error.errors ?? []).map { issue in
            issue.path.isEmpty ? issue.message : "\(issue.path.joined(separator: ".")): \(issue.message)"
        }
        return issues.isEmpty ? error.message : issues.joined(separator: "; ")
    }

    /// The path of the API, the issuer of a gateway.
    package var bindingIssuer: String? { api }

    /// Recognizes a server by a successful response with `{"res": "pong"}` in JSON. A web page with status 200 is not a
    /// server.
    ///
    /// Source: IM-3; docs/protocols/immich.md, Finding the server.
    package func match(_ response: ClientResponse) -> ServerMatch {
        guard response.status.isSuccess, let ping = try? JSON.decode(ImmichPing.self, from: response.body),
            ping.res == "pong"
        else {
            return .notRecognized(
                "its response to \(probe.path) is not a pong (\(InterceptedResponse.summary(response)))")
        }
        return .server(ServerFeatures())
    }

    /// Reads the identity from the response of any version. Only the members that a session requires are checked.
    package func identity(from response: ClientResponse) -> Identity? {
        guard response.status.isSuccess, let user = try? JSONValue(parsing: response.body),
            let id = user["id"]?.string, !id.isEmpty, let email = user["email"]?.string
        else { return nil }
        let name = user["name"]?.string ?? ""
        var identity = Identity(id: id, email: email, name: name.isEmpty ? nil : name)
        identity.mustChangePassword = user["shouldChangePassword"]?.bool
        if let path = user["profileImagePath"]?.string, !path.isEmpty {
            identity.pictureVersion = user["profileChangedAt"]?.string ?? path
        }
        return identity
    }

    /// Returns a request to the API.
    func request(_ method: HTTPMethod, _ path: String) -> DialectRequest {
        DialectRequest(method, api + path, headers: Self.acceptsJSON)
    }

    /// Returns a request to the API with a JSON body.
    func request(_ method: HTTPMethod, _ path: String, body message: some Encodable) -> DialectRequest {
        var request = request(method, path)
        request.headers["Content-Type"] = JSON.mediaType
        request.body = JSON.encode(message)
        return request
    }
}
