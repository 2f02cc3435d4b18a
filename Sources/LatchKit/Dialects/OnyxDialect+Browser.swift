public import OAuth

extension OnyxDialect: BrowserDialect {
    /// `onyx://auth/callback`.
    public var callback: String { "onyx://auth/callback" }
    /// `/callback`.
    public var loopbackPath: String { "/callback" }

    /// The gateway's metadata; a server of Onyx itself has none, and sends browsers back to ``callback`` only.
    ///
    /// Source: RFC 8414 §3.1: the well-known part goes between the host and the issuer's own path.
    public func loopbackQuestion(to server: ServerAddress) -> String? {
        server.origin + "/.well-known/oauth-authorization-server" + server.prefix + Self.prefix
    }

    /// Whether the metadata are this server's and `loopback_redirects_supported` is `true` in them.
    ///
    /// Source: RFC 8414 §3.3; `loopback_redirects_supported` is latchd's own.
    public func allowsLoopback(_ answer: ClientResponse, of server: ServerAddress) -> Bool {
        guard answer.status.isSuccess, let metadata = try? JSONValue(parsing: answer.body) else { return false }
        return metadata["issuer"]?.string == server.url + Self.prefix
            && metadata["loopback_redirects_supported"]?.bool == true
    }

    /// `/api/auth/mobile/oauth/authorize` with `redirect=true` and the app's three parameters.
    ///
    /// It is opened, never fetched: the cookie that it sets belongs to the browser.
    ///
    /// Source: OX-2, OX-9; contract of Onyx, b.2 and b.9.
    public func browserPath(_ request: BrowserRequest) -> String {
        var pairs = [
            ("redirect", "true"), ("mobile_redirect_uri", request.redirect), ("app_state", request.state.text),
            ("app_code_challenge", request.challenge.text),
        ]
        if let provider = request.provider { pairs.append(("provider", provider)) }
        return Self.prefix + "/auth/mobile/oauth/authorize?" + FormURLEncoded.encode(pairs)
    }

    /// `POST /api/auth/mobile/sso/exchange` with `code` and `code_verifier`.
    ///
    /// Source: OX-5.
    public func exchange(code: Secret, verifier: PKCE.Verifier) -> DialectRequest {
        let body: JSONValue = ["code": .string(code.reveal()), "code_verifier": .string(verifier.secret.reveal())]
        return DialectRequest(
            .post, Self.prefix + "/auth/mobile/sso/exchange",
            headers: ["Accept": JSON.mediaType, "Content-Type": JSON.mediaType], body: body.encoded())
    }

    /// Reads the answer to an exchange; its one refusal says nothing of the reason.
    ///
    /// - Throws: ``LatchError/Code/codeRefused``, and what ``grant(from:of:)`` throws.
    ///
    /// Source: contract of Onyx, b.5.
    public func grant(fromExchange answer: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        let reason = OnyxError(body: answer.body)?.code.map { OnyxReason(rawValue: $0) }
        guard answer.status != .unauthorized || reason != .unauthenticated else {
            throw LatchError(
                .codeRefused,
                "Login failed: \(server) does not take the code that the browser brought; it came too late or was used "
                    + "already. Sign in again.")
        }
        return try grant(from: answer, of: server)
    }

    private static let prefix = "/api"
}
