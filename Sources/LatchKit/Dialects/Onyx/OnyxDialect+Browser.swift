import Crypto
import HTTPClient
import HTTPMessages
import OAuth
import ServerMessages

extension OnyxDialect: BrowserDialect {
    /// `onyx://auth/callback`.
    package var callback: String { "onyx://auth/callback" }
    /// `/callback`.
    package var loopbackPath: String { "/callback" }

    /// Returns whether the server publishes gateway metadata for itself in which `loopback_redirects_supported` is
    /// `true`. A server of Onyx itself has no such metadata and sends browsers back to ``callback`` only.
    ///
    /// Source: RFC 8414 §3.3.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    {
        try await connection.allowsLoopback(issuer: Self.prefix)
    }

    /// Begins a sign-in. The browser opens the server's authorization path with `redirect=true` and the app's three
    /// parameters. The code is redeemed with the PKCE verifier.
    ///
    /// This program never requests that address itself, because the cookie that the response sets belongs in the
    /// browser.
    ///
    /// Source: OX-2, OX-5, OX-9; docs/protocols/onyx.md, Authorize and Sign-in in the app.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        let verifier = PKCE.Verifier()
        var pairs = [
            ("redirect", "true"), ("mobile_redirect_uri", start.redirect), ("app_state", start.state.text),
            ("app_code_challenge", verifier.challenge.text),
        ]
        if let provider = start.provider { pairs.append(("provider", provider)) }
        let path = try await Self.authorizationPath(connection) + "?" + FormURLEncoded.encode(pairs)
        return PendingBrowserSignIn(address: try connection.address.url(of: path), state: start.state) { back in
            let response = try await connection.send(exchange(code: back.code, verifier: verifier))
            return try grant(fromExchange: response, of: connection.address)
        }
    }

    /// Returns the path that the browser opens: `/api/auth/mobile/oauth/authorize`, or `/api/auth/oauth/authorize` at a
    /// server that has only the path of OX-2. It is requested without parameters to find out, which begins no sign-in.
    ///
    /// Source: OX-2; docs/protocols/onyx.md, Authorize.
    private static func authorizationPath(_ connection: UnauthenticatedConnection) async throws -> String {
        let path = prefix + "/auth/mobile/oauth/authorize"
        let response = try await connection.send(DialectRequest(.get, path, headers: ["Accept": JSON.mediaType]))
        return response.status == .notFound ? prefix + "/auth/oauth/authorize" : path
    }

    /// Returns `POST /api/auth/mobile/sso/exchange` with `code` and `code_verifier`.
    ///
    /// Source: OX-5.
    func exchange(code: Secret, verifier: PKCE.Verifier) -> DialectRequest {
        let body: JSONValue = ["code": .string(code.reveal()), "code_verifier": .string(verifier.secret.reveal())]
        return DialectRequest(
            .post, Self.prefix + "/auth/mobile/sso/exchange",
            headers: ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType], body: body.encoded())
    }

    /// Reads the response to an exchange. The server has a single refusal, which does not state the reason.
    ///
    /// - Throws: ``LatchError/Code/codeRefused``, and the errors of ``grant(from:of:)``.
    ///
    /// Source: docs/protocols/onyx.md, Code exchange.
    func grant(fromExchange response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        let reason = OnyxError(body: response.body)?.code.map { OnyxReason(rawValue: $0) }
        guard response.status != .unauthorized || reason != .unauthenticated else {
            throw LatchError(
                .codeRefused,
                "Login failed: \(server) does not accept the code from the browser; it expired or was already used. "
                    + "Sign in again.")
        }
        return try grant(from: response, of: server)
    }

    /// `/api`.
    static let prefix = "/api"
}
