import Crypto
import HTTPClient
import HTTPMessages
import OAuth
import ServerMessages

extension TimeTrackerDialect: BrowserDialect {
    /// `timetracker://oauth/callback`.
    ///
    /// Source: TT-1.
    package var callback: String { "timetracker://oauth/callback" }
    /// `/oauth/callback`.
    package var loopbackPath: String { "/oauth/callback" }

    /// True: sign-ins use a browser that shares nothing with the person's own.
    ///
    /// Source: TT-2.
    package var wantsEphemeralBrowser: Bool { true }

    /// Returns false: the identity provider accepts only ``callback``.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    { false }

    /// Begins a sign-in at exactly `/auth/login?redirect_uri=timetracker://oauth/callback`.
    ///
    /// This program requests the address first. If the response is a redirect without a cookie, the browser opens the
    /// redirect's target. The `state` that the server created is then known and can be compared. If the server ties the
    /// sign-in to the browser with a cookie, the browser must open the address itself, and the state stays unknown.
    ///
    /// Source: TT-3; docs/protocols/time-tracker.md, Redirects and Start of a sign-in; RFC 8252 §8.9.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        // A query may contain the scheme, slashes and port of the redirect address unencoded.
        var path = prefix + "/auth/login?redirect_uri=" + start.redirect
        if let provider = start.provider { path += "&" + FormURLEncoded.encode([("provider", provider)]) }
        let address = try connection.address.url(of: path)
        let response = try await connection.send(DialectRequest(.get, path, headers: Self.headers))
        guard response.status.isSuccess || response.status.isRedirect else {
            throw startError(response, connection.address)
        }
        let known = TimeTrackerStart(response, from: connection.address, redirect: start.redirect)
        return PendingBrowserSignIn(address: known?.address ?? address, state: known?.state) { back in
            let response = try await connection.send(exchange(back, redirect: start.redirect))
            return try grant(from: response, of: connection.address)
        }
    }

    /// Returns `POST /auth/token` with `code`, `state` and `redirect_uri`, and with `iss` if the callback contains it.
    /// The request has no PKCE verifier, because the server keeps it.
    ///
    /// Source: TT-4; RFC 9207 §2.
    func exchange(_ back: BrowserReturn, redirect: String) -> DialectRequest {
        let issuers = TimeTrackerStart.query(of: back.link.reveal())?.values("iss") ?? []
        let body = TimeTrackerTokenRequest(
            code: back.code.reveal(), state: back.state.text, redirectURI: redirect, issuer: issuers.first)
        return DialectRequest(.post, tokenPath, headers: Self.headers, body: body.json.encoded())
    }

    /// Reads the response to an exchange.
    ///
    /// - Throws: ``LatchError/Code/codeRefused``, ``LatchError/Code/signInDenied``, ``LatchError/Code/serverError`` and
    ///   others, with the server's error message if there is one.
    ///
    /// Source: TT-4, TT-9, TT-13; docs/protocols/time-tracker.md, Token request.
    func grant(from response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if response.status.isSuccess, let tokens = try? JSON.decode(TimeTrackerTokenResponse.self, from: response.body),
            tokens.tokenType.lowercased() == "bearer", TimeTrackerToken.isSendable(tokens.accessToken)
        {
            var grant = Grant(
                token: Secret(tokens.accessToken),
                lifetime: TimeTrackerToken.lifetime(of: tokens.accessToken, expiresIn: tokens.expiresIn))
            grant.identity = Self.identity(of: tokens.user)
            return grant
        }
        throw exchangeError(response, server)
    }
}
