import Crypto
import FoundationEssentials
package import GatewayCore
package import OAuth
import OpenIDConnect

extension Bridge {
    /// Begins a sign-in in which the provider redirects the browser directly to an app.
    ///
    /// - Parameters:
    ///   - provider: The provider where the person signs in. `redirect` must be registered there for this client.
    ///   - redirect: The app's address, already checked.
    ///   - state: The state that the provider returns to the app, if the app has received one already. Default: a new
    ///     one.
    ///   - client: The sender of the request.
    /// - Returns: The address that the browser must open.
    /// - Throws: The reason why the sign-in cannot begin.
    package func beginInApp(
        at provider: BridgeProvider, redirect: String, state: State? = nil, client: RequestOrigin
    ) async throws(BridgeFailure) -> String {
        let (state, verifier) = (state ?? State(), PKCE.Verifier())
        let nonce = Base64URL.encode(SecureRandom.bytes(32))
        let start = makeRecord(.app, at: provider, redirect: redirect, verifier: verifier, nonce: nonce)
        let returnTo = PendingAuthorization.ReturnTarget.app(
            redirect: redirect, state: "", challenge: verifier.challenge)
        do {
            let address = try await provider.party.authorizationURL(
                redirect: redirect, state: state, nonce: nonce, challenge: verifier.challenge,
                extra: provider.extraParameters(for: returnTo, requiresReauthentication: false))
            // Stored only now, so that a provider that does not respond leaves no record behind.
            try await save(start, under: state, client)
            metrics.bridge(.begun, at: provider.id)
            return address
        } catch {
            throw failure(error, at: provider, client.request, from: client.address)
        }
    }

    /// Begins a sign-in in which the provider redirects the browser to this server, which redirects it to an app. It is
    /// an ordinary sign-in of the bridge, except that this server makes the PKCE pair in place of the app.
    ///
    /// - Parameters:
    ///   - provider: The provider where the person signs in.
    ///   - redirect: The app's address, already checked.
    ///   - state: The state that is returned to the app, if the app has received one already. Default: a new one.
    ///   - callback: The address that the provider redirects the browser to.
    ///   - client: The sender of the request.
    /// - Returns: The address that the browser must open, and the secret that it keeps.
    /// - Throws: The reason why the sign-in cannot begin.
    package func beginForApp(
        at provider: BridgeProvider, redirect: String, state: State? = nil, callback: String, client: RequestOrigin
    ) async throws(BridgeFailure) -> AuthorizationStart {
        let (state, verifier) = (state ?? State(), PKCE.Verifier())
        let beginning = try await begin(
            at: provider, .app(redirect: redirect, state: state.text, challenge: verifier.challenge),
            callback: callback, request: client.request)
        do {
            let start = makeRecord(.gateway, at: provider, redirect: redirect, verifier: verifier, nonce: "")
            try await save(start, under: state, client)
            return beginning
        } catch {
            throw failure(error, at: provider, client.request, from: client.address)
        }
    }

    private func makeRecord(
        _ route: SignInRecord.Route, at provider: BridgeProvider, redirect: String, verifier: PKCE.Verifier,
        nonce: String
    ) -> SignInRecord {
        SignInRecord(
            route: route, provider: provider.id, redirect: redirect, verifier: verifier, nonce: nonce,
            expires: now() + SignInRecord.lifetime)
    }

    /// A browser that begins again with the same state replaces the earlier record.
    private func save(_ start: SignInRecord, under state: State, _ client: RequestOrigin) async throws {
        let box = try start.sealed(for: state.text, keys)
        do {
            try await starts.save(
                box, under: SignInRecord.key(state.text), for: SignInRecord.lifetime, of: .address(client.address))
        } catch {
            throw unavailable(error)
        }
    }

    /// Removes the record of a sign-in from the store and returns it. Returns nil when there is none or it has expired.
    /// If several callers take it at the same time, only one of them gets it.
    ///
    /// - Throws: ``GatewayError/Code/codeStore`` when the store does not respond.
    package func consumeStart(of state: String) async throws -> SignInRecord? {
        let box: [UInt8]?
        do {
            box = try await starts.consume(SignInRecord.key(state))
        } catch {
            throw unavailable(error)
        }
        guard let box, let start = SignInRecord(opening: box, for: state, keys), now() < start.expires else {
            return nil
        }
        return start
    }

    /// Completes a sign-in that the provider returned to the app directly.
    ///
    /// - Parameters:
    ///   - start: The record of the sign-in, already taken from the store.
    ///   - code: The provider's code, as sent by the app.
    ///   - issuer: The `iss` parameter of the provider's response. Nil when the app does not send it.
    ///   - client: The client that sent the request.
    ///   - shape: The format of the app's token.
    /// - Returns: The session.
    /// - Throws: The reason why the sign-in failed, already recorded: errors of the provider, of the people, of the
    ///   database.
    package func finishInApp(
        _ start: SignInRecord, code: String, issuer: String?, client: RequestOrigin, token shape: TokenFormat
    ) async throws -> SessionCredential {
        guard let provider = providers[start.provider] else {
            throw GatewayError(.identityRefused, "The identity provider of this sign-in is no longer configured.")
        }
        do {
            let identity = try await provider.party.identity(
                code: Secret(code), issuer: issuer, redirect: start.redirect, nonce: start.nonce,
                verifier: start.verifier)
            let person = try await person(forAppOf: identity, at: provider, identifiedAt: start.latestStart)
            let session = try await self.start(
                for: person, provider: provider.id, identity.sessionID, client, token: shape,
                authenticated: identity.authenticated, methods: AuthenticationMethods(of: identity))
            metrics.bridge(.completed, at: provider.id)
            return session
        } catch {
            _ = failure(error, at: provider, client)
            throw error
        }
    }
}
