import HTTPClient
import HTTPMessages
import OAuth
import ServerMessages

extension ImmichDialect: BrowserDialect {
    /// `app.immich:///oauth-callback`, the redirect address registered with the identity provider of an Immich server.
    ///
    /// Source: docs/protocols/immich.md, Redirect addresses.
    package var callback: String { "app.immich:///oauth-callback" }
    /// `/oauth-callback`.
    package var loopbackPath: String { "/oauth-callback" }

    /// Returns whether the server's gateway metadata announce loopback redirects. Immich's own server has no such
    /// metadata and cannot know: its identity provider decides which redirect addresses it accepts, and the redirect
    /// address of the official app is registered there.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    {
        try await connection.allowsLoopback(issuer: api)
    }

    /// Begins a sign-in. Requests the provider's address with this sign-in's `state` and PKCE challenge. A server
    /// before 1.132 creates its own `state`, which the callback must then contain.
    ///
    /// - Throws: ``LatchError/Code/browserLoginDisabled``, ``LatchError/Code/serverError`` when the server cannot reach
    ///   its identity provider, ``LatchError/Code/interceptedResponse`` and the errors of ``refusal(_:_:)``.
    ///
    /// Source: IM-7; docs/protocols/immich.md, Sign-in through a provider.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        let verifier = PKCE.Verifier()
        let response = try await authorization(for: start, verifier: verifier, with: connection)
        let address = try address(in: response, of: connection.address)
        let state = try Self.state(of: address, start.state, server)
        return PendingBrowserSignIn(address: address, state: state) { back in
            let callback = ImmichCallback(
                url: back.link.reveal(), state: back.state.text, codeVerifier: verifier.secret.reveal())
            let response = try await connection.send(request(.post, "/oauth/callback", body: callback))
            return try grant(fromCallback: response, of: connection.address)
        }
    }

    /// Sends `POST /oauth/authorize` or, if the server has no such route, `GET`, which no release has.
    private func authorization(
        for start: BrowserStart, verifier: PKCE.Verifier, with connection: UnauthenticatedConnection
    ) async throws -> ClientResponse {
        let challenge = verifier.challenge.text
        let message = ImmichAuthorization(
            redirectUri: start.redirect, state: start.state.text, codeChallenge: challenge)
        let response = try await connection.send(request(.post, "/oauth/authorize", body: message))
        guard response.isUnknownRoute else { return response }
        let query = FormURLEncoded.encode([
            ("redirect_uri", start.redirect), ("state", start.state.text), ("code_challenge", challenge),
            ("code_challenge_method", PKCE.Challenge.method),
        ])
        return try await connection.send(request(.get, "/oauth/authorize?" + query))
    }

    /// Returns the address for the browser to open. Only a web address is accepted.
    private func address(in response: ClientResponse, of server: ServerAddress) throws(LatchError) -> String {
        let error = ImmichError(body: response.body)
        guard response.status.isSuccess else {
            if error?.message == "OAuth is not enabled" { throw Self.notEnabled(server) }
            if response.status == .internalServerError, error != nil {
                throw LatchError(
                    .serverError,
                    "Login failed: \(server) could not begin the sign-in; it probably cannot reach its identity "
                        + "provider, or the provider's address in its settings is wrong. Ask its operator.")
            }
            if response.status == .badRequest, error != nil {
                throw LatchError(
                    .serverRefused,
                    "Login failed: \(server) refused to begin the sign-in: "
                        + "\(SanitizedText.clean(errorMessage(in: response) ?? "")). "
                        + "The server may not allow this redirect address; try another --callback.")
            }
            throw refusal(response, server)
        }
        guard let url = try? JSON.decode(ImmichAuthorizationResponse.self, from: response.body).url, Self.isPage(url)
        else {
            throw LatchError(
                .interceptedResponse, "Login failed: \(server) returned no address that a browser can open.")
        }
        return url
    }

    private static func isPage(_ url: String) -> Bool {
        let start = url.prefix(8).lowercased()
        return (start.hasPrefix("https://") || start.hasPrefix("http://"))
            && url.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    /// Returns the `state` that the callback must contain: the one in the provider's address, which the provider
    /// repeats.
    private static func state(of url: String, _ own: State, _ server: Server) throws(LatchError) -> State {
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }.dropFirst()
        let states = (try? FormURLEncoded.decode(Array(query)))?.values("state") ?? []
        guard states.count == 1, let state = states.first, !state.isEmpty else {
            throw LatchError(
                .interceptedResponse,
                "Login failed: the address from \(server.address) contains no state, so the callback could belong to "
                    + "another sign-in.")
        }
        let takesOurs = server.features.version.flatMap(ImmichVersions.takesState)
        guard State(state) == own || takesOurs != true else {
            throw LatchError(
                .interceptedResponse,
                "Login failed: \(server.address) replaced this sign-in's state, which no server of its version does.")
        }
        return State(state)
    }

    /// Reads the response to `POST /oauth/callback`.
    ///
    /// Source: docs/protocols/immich.md, Sign-in through a provider.
    private func grant(fromCallback response: ClientResponse, of server: ServerAddress) throws(LatchError) -> Grant {
        if let grant = Self.grant(in: response) { return grant }
        let message = ImmichError(body: response.body)?.message ?? ""
        if message == "OAuth is not enabled" { throw Self.notEnabled(server) }
        if message == "Failed to finish oauth" || message == "OAuth authentication failed" {
            throw LatchError(
                .codeRefused,
                "Login failed: \(server) could not finish the sign-in with its identity provider. The code expired or "
                    + "was already used, or you have no account there. Sign in again. If the error persists, ask its "
                    + "operator to check the server's log.")
        }
        throw refusal(response, server)
    }

    private static func notEnabled(_ server: ServerAddress) -> LatchError {
        LatchError(
            .browserLoginDisabled, "Login failed: \(server) does not support sign-in with the browser. Use a password.")
    }
}
