import Crypto
import FoundationEssentials
import HTTPClient
import HTTPMessages
import OAuth
import OpenIDConnect

extension OAuthDialect: BrowserDialect {
    /// `io.github.latchstring://oauth/callback`.
    ///
    /// Source: RFC 8252 §7.1: a scheme of a domain name that the program's authors control.
    package var callback: String { "io.github.latchstring://oauth/callback" }
    /// `/callback`.
    package var loopbackPath: String { "/callback" }
    /// True: the server has no client id for this program unless it registers it.
    package var takesClientID: Bool { true }

    /// Returns true: authorization servers must allow any port of a loopback address.
    ///
    /// Source: RFC 8252 §7.3.
    package func allowsLoopback(at server: Server, _ connection: UnauthenticatedConnection)
        async throws(CancellationError) -> Bool
    { true }

    /// Begins a sign-in with a code, PKCE and, with OpenID Connect, a nonce.
    ///
    /// The client id is the one that the person gave, the one of an earlier sign-in at this server, or a new one that the
    /// server registers.
    ///
    /// - Throws: ``LatchError/Code/clientIDRequired`` when there is none, ``LatchError/Code/unknownProvider`` when a
    ///   provider was selected, and the errors of a registration; `CancellationError`.
    ///
    /// Source: draft-ietf-oauth-v2-1 §4.1; RFC 8707 §2.1; OpenID Connect Core §3.1.2.1 and §11.
    package func begin(_ start: BrowserStart, at server: Server, _ connection: UnauthenticatedConnection) async throws
        -> PendingBrowserSignIn
    {
        guard let authorization = self.server else {
            throw LatchError(.unsupportedServer, "Login failed: \(connection.address) has no metadata of OAuth.")
        }
        if let provider = start.provider {
            throw LatchError(
                .unknownProvider,
                "Login failed: \(connection.address) has no identity provider '\(SanitizedText.clean(provider))'. Leave it "
                    + "out; you choose it on the pages of the server.")
        }
        var dialect = self
        let client = try await client(
            start.clientID, redirect: start.redirect, earlierDetails: start.earlierDetails, at: authorization,
            connection)
        dialect.client = client
        let proof = SignInProof(redirect: start.redirect, key: authorization.proofKey())
        var request = AuthorizationRequest(
            clientID: client.id, redirect: start.redirect,
            scope: authorization.scopes.isEmpty ? nil : authorization.scopes.joined(separator: " "),
            state: start.state, challenge: proof.verifier.challenge,
            nonce: authorization.scopes.contains("openid") ? proof.nonce : nil)
        request.extra = resourceParameter
        if let key = proof.key { request.extra.append(("dpop_jkt", key.thumbprint)) }
        // Servers may ignore the request for offline access otherwise.
        if authorization.scopes.contains("offline_access") { request.extra.append(("prompt", "consent")) }
        let address: String
        do {
            address = try request.url(endpoint: authorization.authorization.url)
        } catch {
            throw LatchError(.providerUntrusted, "Login failed: \(error.message)", cause: error)
        }
        let issuer = authorization.sendsIssuer ? authorization.issuer : nil
        return PendingBrowserSignIn(address: address, state: start.state, issuer: issuer) { [dialect] back in
            try await dialect.finish(back, proof, at: authorization, connection)
        }
    }

    private func finish(
        _ back: BrowserReturn, _ proof: SignInProof, at authorization: AuthorizationServer,
        _ connection: UnauthenticatedConnection
    ) async throws -> Grant {
        try Self.checkIssuer(in: back, of: authorization)
        let form = [
            ("grant_type", "authorization_code"), ("code", back.code.reveal()), ("redirect_uri", proof.redirect),
            ("client_id", client?.id ?? ""), ("code_verifier", proof.verifier.secret.reveal()),
        ]
        let response = try await connection.proving(ProofSigner(proof.key)).send(
            authorization.token.post(form + resourceParameter))
        guard let tokens = tokens(in: response) else {
            throw exchangeError(response, at: authorization.token.origin)
        }
        var dialect = self
        dialect.hasRefreshToken = tokens.refreshToken != nil
        var grant = grant(tokens)
        if tokens.isBound { grant.proofKey = try proof.key?.pem() }
        if authorization.userInfo == nil {
            do {
                let person = try await identity(of: tokens, back.code, proof, at: authorization, connection)
                dialect.person = person
                grant.identity = person
            } catch {
                await dialect.revoke(grant, connection)
                throw LatchError.atProvider(error)
            }
        }
        grant.dialect = dialect
        return grant
    }

    /// Refuses a callback whose `iss` names another server, even if the server did not announce that it sends `iss`.
    ///
    /// Source: RFC 9207 §2.4.
    private static func checkIssuer(
        in back: BrowserReturn, of server: AuthorizationServer
    ) throws(LatchError) {
        let query = back.link.reveal().utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
        guard let issuer = (try? FormURLEncoded.decode(Array(query.dropFirst())))?["iss"],
            !issuer.utf8.elementsEqual(server.issuer.utf8)
        else { return }
        throw LatchError(
            .callbackInvalid,
            "Login failed: the callback does not come from '\(server.issuer)'; do not continue the sign-in.")
    }

    /// Returns the person whom the ID token names, after every check of the token.
    ///
    /// - Throws: ``LatchError/Code/identityUnknown`` without an ID token or without an e-mail address in it;
    ///   `OpenIDConnectError` for an ID token that is not valid.
    ///
    /// Source: OpenID Connect Core §3.1.3.7.
    private func identity(
        of tokens: TokenResponse, _ code: Secret, _ proof: SignInProof, at server: AuthorizationServer,
        _ connection: UnauthenticatedConnection
    ) async throws -> Identity {
        guard tokens.idToken != nil, let client else { throw Self.unknownPerson(at: server) }
        let document = try await connection.send(server.metadata.request())
        let party = RelyingParty(
            ProviderSettings(issuer: server.issuer, clientID: client.id, scopes: server.scopes),
            metadata: try ProviderMetadata(parsing: document.body, issuer: server.issuer), client: connection.client)
        let person = try await party.identity(of: tokens, code: code, nonce: proof.nonce)
        guard let email = person.email else { throw Self.unknownPerson(at: server) }
        return Identity(id: person.subject, email: email, name: person.name)
    }

    static func unknownPerson(at server: AuthorizationServer) -> LatchError {
        LatchError(
            .identityUnknown,
            "Login failed: \(server.issuer) did not report who signed in with an e-mail address, so no account was "
                + "stored. Ask its operator to allow the scopes openid and email.")
    }

    /// Revokes the tokens of a sign-in that cannot be completed, if the server responds.
    private func revoke(_ grant: Grant, _ connection: UnauthenticatedConnection) async {
        guard let request = signOut(keyID: nil) else { return }
        let authorized = authorize(request, with: grant.refreshToken ?? grant.token, besides: [:])
        await Task { _ = try? await connection.send(authorized) }.value
    }

    /// Returns the error for a response to an exchange that contains no tokens.
    private func exchangeError(_ response: ClientResponse, at server: ServerAddress) -> LatchError {
        if response.status == .tooManyRequests || response.status.rawValue >= 500 {
            return signInFailure(response, at: server)
        }
        guard let error = Self.tokenError(response) else { return signInFailure(response, at: server) }
        if error.error == "invalid_client" { return Self.unknownClient(at: server) }
        let message = SanitizedText.clause(error.description ?? error.error)
        guard error.error == "invalid_grant" else {
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message).")
        }
        return LatchError(
            .codeRefused,
            "Login failed: \(server) does not accept the code from the browser; it expired or was already used "
                + "(\(message)). Sign in again.")
    }

    /// Returns the error for an unexpected response of an endpoint during a sign-in.
    func signInFailure(_ response: ClientResponse, at server: ServerAddress) -> LatchError {
        if let reason = InterceptedResponse.reason(for: response, from: server, expectsJSON: true) {
            return LatchError(
                .interceptedResponse, "Could not sign in: the response did not come from \(server); \(reason)")
        }
        let wait = retryDelay(after: response)
        switch response.status.rawValue {
        case 429:
            let pause = wait.map { "Wait \($0.components.seconds) seconds" } ?? "Wait a minute"
            return LatchError(
                .rateLimited, "Login failed: too many attempts at \(server). \(pause), then try again.",
                retryAfter: wait)
        case 500...:
            return LatchError(
                .serverError, "Login failed: \(server) \(response.status.failureDescription). Try again later.",
                retryAfter: wait)
        case 200..<300: return InterceptedResponse.noToken(in: response, from: server)
        default:
            let message = SanitizedText.clause(errorMessage(in: response) ?? InterceptedResponse.summary(response))
            return LatchError(.serverRefused, "Login failed: \(server) says: \(message).")
        }
    }
}

/// What ties the responses to one sign-in. In memory only.
private struct SignInProof: Sendable {
    let redirect: String
    /// The key that the tokens are bound to. Nil when the server binds none.
    let key: DPoPKey?
    let verifier = PKCE.Verifier()
    let nonce = Base64URL.encode(SecureRandom.bytes(16))
}
