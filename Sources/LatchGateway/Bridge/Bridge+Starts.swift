import Crypto
import FoundationEssentials
import OAuth
import OpenIDConnect

extension Bridge {
    /// Begins a sign-in that the provider itself gives back to an app.
    ///
    /// - Parameters:
    ///   - provider: Where the person signs in; it knows `redirect` as an address of this client.
    ///   - redirect: The app's address; already checked.
    ///   - state: What comes back to the app, where it has seen that already.
    ///   - request: The request's id, for the log.
    /// - Returns: Where the browser goes now.
    /// - Throws: Why it cannot begin.
    func beginInApp(
        at provider: BridgeProvider, redirect: String, state: State? = nil, request: String
    ) async throws(BridgeFailure) -> String {
        let (state, verifier) = (state ?? State(), PKCE.Verifier())
        let nonce = Base64URL.encode(SecureRandom.bytes(32))
        let start = start(.app, provider, redirect, verifier, nonce: nonce)
        let destination = BridgeState.Destination.app(redirect: redirect, state: "", challenge: verifier.challenge)
        do {
            let address = try await provider.party.authorizationURL(
                redirect: redirect, state: state, nonce: nonce, challenge: verifier.challenge,
                extra: provider.extraParameters(for: destination, isAgain: false))
            try await keep(start, under: state)
            metrics.bridge(.begun, at: provider.id)
            return address
        } catch {
            throw failure(error, at: provider, request)
        }
    }

    /// Begins a sign-in that comes back here and goes on to an app: the bridge's own, with this server in the app's place as
    /// far as PKCE goes.
    ///
    /// - Parameters:
    ///   - provider: Where the person signs in.
    ///   - redirect: The app's address; already checked.
    ///   - state: What comes back to the app, where it has seen that already.
    ///   - callback: The address that the provider sends the browser back to.
    ///   - request: The request's id, for the log.
    /// - Returns: Where the browser goes, and what it keeps.
    /// - Throws: Why it cannot begin.
    func beginForApp(
        at provider: BridgeProvider, redirect: String, state: State? = nil, callback: String, request: String
    ) async throws(BridgeFailure) -> AuthorizationStart {
        let (state, verifier) = (state ?? State(), PKCE.Verifier())
        let beginning = try await begin(
            at: provider, .app(redirect: redirect, state: state.text, challenge: verifier.challenge),
            callback: callback, request: request)
        do {
            try await keep(start(.gateway, provider, redirect, verifier, nonce: ""), under: state)
            return beginning
        } catch {
            throw failure(error, at: provider, request)
        }
    }

    private func start(
        _ way: SignInStart.Way, _ provider: BridgeProvider, _ redirect: String, _ verifier: PKCE.Verifier, nonce: String
    ) -> SignInStart {
        SignInStart(
            way: way, provider: provider.id, redirect: redirect, verifier: verifier, nonce: nonce,
            expires: now() + SignInStart.lifetime)
    }

    private func keep(_ start: SignInStart, under state: State) async throws {
        let box = try start.sealed(for: state.text, keys)
        do {
            // A browser that comes again with the same state begins again: its last page is the one that counts.
            _ = try await starts.take(SignInStart.key(state.text))
            try await starts.keep(box, under: SignInStart.key(state.text), for: SignInStart.lifetime)
        } catch {
            throw unavailable(error)
        }
    }

    /// Takes what is kept of a sign-in; nil when nothing is, or not any more. Of any number of callers at once one gets it.
    ///
    /// - Throws: ``GatewayError/Code/codeStore`` when the store does not answer.
    func takeStart(of state: String) async throws -> SignInStart? {
        let box: [UInt8]?
        do {
            box = try await starts.take(SignInStart.key(state))
        } catch {
            throw unavailable(error)
        }
        guard let box, let start = SignInStart(opening: box, for: state, keys), now() < start.expires else {
            return nil
        }
        return start
    }

    /// Completes a sign-in that the provider gave back to the app itself.
    ///
    /// - Parameters:
    ///   - start: What was kept of it, taken just now.
    ///   - code: The provider's code, as the app brought it.
    ///   - issuer: The answer's `iss`, where the app hands it on.
    ///   - client: Who is asking.
    ///   - shape: What token the app gets.
    /// - Returns: The session.
    /// - Throws: Why nobody is signed in, recorded already: errors of the provider, of the people, of the database.
    func finishInApp(
        _ start: SignInStart, code: String, issuer: String?, client: RequestOrigin, token shape: TokenFormat
    ) async throws -> SessionCredential {
        guard let provider = providers[start.provider] else {
            throw GatewayError(.identityRefused, "The identity provider of this sign-in is configured no longer.")
        }
        do {
            let identity = try await provider.party.identity(
                code: Secret(code), issuer: issuer, redirect: start.redirect, nonce: start.nonce,
                verifier: start.verifier)
            let person = try await person(forAppOf: identity, at: provider)
            let session = try await self.start(
                for: person, provider: provider.id, identity.sessionID, client, token: shape,
                authenticated: identity.authenticated)
            metrics.bridge(.completed, at: provider.id)
            return session
        } catch {
            _ = failure(error, at: provider, client)
            throw error
        }
    }
}
