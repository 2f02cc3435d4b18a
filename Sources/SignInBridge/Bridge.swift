import Crypto
package import FoundationEssentials
package import GatewayCore
package import HTTPMessages
import OAuth
package import OpenIDConnect

/// Signs people in through an identity provider, in a browser, for an app or for the browser itself.
///
/// A sign-in goes through `begin`, the provider and `finish`, and for an app through `redeem`. The gateway stores
/// nothing about a sign-in in progress: its data is sealed in the `state` parameter and in the browser's cookie. Only
/// one-time codes are stored, for a minute by default, and the ``SignInRecord`` records of apps that make no PKCE pair.
///
/// Source: OX-2 to OX-5; RFC 8252; RFC 9700.
package final class Bridge: Sendable {
    package let providers: BridgeProviders
    package let redirects: AllowedRedirects
    package let keys: BridgeKeys
    package let codes: any CodeStore
    /// The store of ``SignInRecord`` records. It is separate from ``codes``, so that a flood of new sign-ins displaces
    /// no codes.
    package let starts: WaitingRequestStore
    package let codeLifetime: Duration
    package let people: PeopleStore
    package let sessions: SessionAdministration
    package let issuer: any SessionIssuer
    /// Whether people who must change their password cannot sign in to apps before they do.
    private let enforcesPasswordChange: Bool
    package let metrics: Metrics
    package let audit: AuditLog
    package let log: Log
    package let now: @Sendable () -> Date
    /// The failed sign-ins in the audit log.
    private let recordedFailures = LineLimit()
    /// The failures of providers in the log.
    private let loggedFailures = LineLimit()

    /// Makes a bridge. Gateways with the same keys and people can share `codes` and `starts`.
    package init(
        _ providers: BridgeProviders, redirects: AllowedRedirects, keys: BridgeKeys, codes: any CodeStore,
        starts: WaitingRequestStore, codeLifetime: Duration, people: PeopleStore, sessions: SessionAdministration,
        issuer: any SessionIssuer,
        enforcesPasswordChange: Bool, metrics: Metrics, audit: AuditLog, log: Log,
        now: @escaping @Sendable () -> Date
    ) {
        self.providers = providers
        self.redirects = redirects
        self.keys = keys
        self.codes = codes
        self.starts = starts
        self.codeLifetime = codeLifetime
        self.people = people
        self.sessions = sessions
        self.issuer = issuer
        self.enforcesPasswordChange = enforcesPasswordChange
        self.metrics = metrics
        self.audit = audit
        self.log = log
        self.now = now
    }

    /// A sign-in that has begun.
    package struct AuthorizationStart: Sendable {
        /// The address that the browser must open.
        package let address: String
        /// The secret that the browser keeps in a cookie until it returns.
        package let secret: BrowserSecret
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - provider: The provider where the person signs in.
    ///   - returnTo: The end of the sign-in, already checked.
    ///   - callback: The address that the provider redirects the browser to.
    ///   - request: The request's id, for the log.
    ///   - requiresReauthentication: Whether the provider must authenticate the person again, even if the person is
    ///     signed in there.
    ///   - choosesAccount: Whether the provider must let the person choose another account.
    /// - Returns: The address that the browser must open, and the secret that it keeps.
    /// - Throws: The reason why the sign-in cannot begin.
    package func begin(
        at provider: BridgeProvider, _ returnTo: PendingAuthorization.ReturnTarget, callback: String, request: String,
        requiresReauthentication: Bool = false, choosesAccount: Bool = false
    ) async throws(BridgeFailure) -> AuthorizationStart {
        let now = now()
        let secret = BrowserSecret(startedAt: now)
        let state = PendingAuthorization(
            id: secret.id, provider: provider.id, startedAt: now, browser: secret.digest,
            callback: SHA256.digest(callback), requiresReauthentication: requiresReauthentication, returnTo: returnTo)
        do {
            let address = try await provider.party.authorizationURL(
                redirect: callback, state: State(try state.sealed(keys)), nonce: secret.nonce(keys),
                challenge: secret.verifier(keys).challenge,
                extra: provider.extraParameters(
                    for: returnTo, requiresReauthentication: requiresReauthentication, choosesAccount: choosesAccount))
            metrics.bridge(.begun, at: provider.id)
            return AuthorizationStart(address: address, secret: secret)
        } catch {
            throw failure(error, at: provider, request)
        }
    }

    /// The result of a sign-in in the browser.
    package enum CallbackResult: Sendable {
        /// The app gets a code through this deep link.
        case app(link: String)
        /// The browser is signed in and continues at a path of this server.
        case web(SessionCredential, next: String)
    }

    /// Completes a sign-in whose state has been checked against the browser.
    ///
    /// - Parameters:
    ///   - state: The opened state.
    ///   - secret: The secret of the browser that the state belongs to.
    ///   - provider: The provider that the state names.
    ///   - fields: The parameters that the provider sent through the browser.
    ///   - callback: The address that the provider redirected to, as passed to ``begin(at:_:callback:request:)``.
    ///   - client: The client that sent the request.
    /// - Returns: The result for the app or the browser.
    /// - Throws: The reason why the sign-in failed.
    package func finish(
        _ state: PendingAuthorization, secret: BrowserSecret, at provider: BridgeProvider, fields: FormFields,
        callback: String, client: RequestOrigin
    ) async throws(BridgeFailure) -> CallbackResult {
        do {
            // A state for another route or another host is not valid here, although this server made it.
            guard state.callback == SHA256.digest(callback) else { throw BridgeFailure.failed }
            let identity = try await provider.party.identity(
                callback: fields, redirect: callback, nonce: secret.nonce(keys), verifier: secret.verifier(keys),
                freshSince: state.requiresReauthentication ? state.startedAt : nil)
            let ending = try await end(state, for: identity, at: provider, client)
            metrics.bridge(.completed, at: provider.id)
            return ending
        } catch {
            throw failure(error, at: provider, client)
        }
    }

    /// Returns the failure that an error amounts to, after counting it and recording it in the audit log.
    package func failure(_ error: any Error, at provider: BridgeProvider, _ client: RequestOrigin) -> BridgeFailure {
        let failure = failure(error, at: provider, client.request, from: client.address)
        record(failure, at: provider, client)
        return failure
    }

    /// Records a failed sign-in in the audit log, within a ``LineLimit``: anybody can repeat a callback.
    package func record(_ failure: BridgeFailure, at provider: BridgeProvider, _ client: RequestOrigin) {
        guard let reason = failure.reason,
            recordedFailures.admit(from: AddressKey(client.address), at: now()) != nil
        else { return }
        audit.record(
            AuditEvent(
                .signInFailed, reason: reason, provider: provider.id, subject: failure.subject,
                address: client.address.description, request: client.request, device: client.device))
    }

    /// Returns the person that an identity is linked to.
    ///
    /// - Parameters:
    ///   - identity: The identity that signed in.
    ///   - provider: The provider.
    ///   - moment: When the provider identified the person, or the sign-in began. A person who was signed out everywhere at
    ///     or after this time is refused.
    /// - Returns: The person.
    /// - Throws: ``BridgeFailure`` with the identity's subject when there is no such person; errors of the database.
    package func person(
        for identity: ProviderIdentity, at provider: BridgeProvider, identifiedAt moment: Date
    ) async throws -> Person {
        do {
            return try await people.person(for: identity, at: provider.configuration, identifiedAt: moment)
        } catch let error as GatewayError {
            let failure = BridgeFailure(error, of: identity)
            guard failure.reason != nil else { throw error }
            // The message tells the operator what to do; the page for the person contains less.
            log.info("A sign-in through an identity provider was refused.", ["error": .text(error.message)])
            throw failure
        }
    }

    private func end(
        _ sent: PendingAuthorization, for identity: ProviderIdentity, at provider: BridgeProvider,
        _ client: RequestOrigin
    ) async throws -> CallbackResult {
        // The store enforces the lifetime by one clock, where there is one. This check is by the clock of any gateway.
        let (code, expires) = (OneTimeCode(), now() + codeLifetime + codes.toleratedClockDifference)
        // The person may have authenticated at the provider at any time since then.
        let identifiedAt = sent.latestStart
        switch sent.returnTo {
        case .app(let redirect, let state, let challenge):
            let person = try await person(forAppOf: identity, at: provider, identifiedAt: identifiedAt)
            let record = CodeRecord(
                challenge: challenge, person: person.id, sessionEpoch: person.sessionEpoch, provider: provider.id,
                providerSession: identity.sessionID, authenticated: identity.authenticated,
                methods: AuthenticationMethods(of: identity), expires: expires)
            try await save(record, under: code)
            return .app(link: DeepLink.code(code, to: redirect, state: state))
        case .identity(let redirect, let state, let challenge):
            let record = IdentityRecord(
                challenge: challenge, identity: identity, provider: provider.id, identifiedAt: identifiedAt,
                expires: expires)
            try await save(
                try record.sealed(for: code, keys), under: code, of: .identity(identity, at: provider.id))
            return .app(link: DeepLink.code(code, to: redirect, state: state))
        case .web(let next):
            let person = try await person(for: identity, at: provider, identifiedAt: identifiedAt)
            let session = try await start(
                for: person, provider: provider.id, identity.sessionID, client, authenticated: identity.authenticated,
                methods: AuthenticationMethods(of: identity))
            return .web(session, next: next)
        }
    }

    /// Returns the person that an identity is linked to, for an app, which cannot change a password. `moment` is as in
    /// ``person(for:at:identifiedAt:)``.
    ///
    /// - Throws: The errors of ``person(for:at:identifiedAt:)``; ``GatewayError/Code/passwordChangeRequired``.
    package func person(
        forAppOf identity: ProviderIdentity, at provider: BridgeProvider, identifiedAt moment: Date
    ) async throws -> Person {
        let person = try await person(for: identity, at: provider, identifiedAt: moment)
        guard !enforcesPasswordChange || !person.mustChangePassword else {
            throw GatewayError(.passwordChangeRequired, "The person must change their password first.")
        }
        return person
    }

    /// Starts a session and stores the provider's session id with it, so that a sign-out at the provider ends it. See
    /// ``SessionIssuer/issue(for:device:token:authenticated:)``.
    package func start(
        for person: Person, provider: String, _ providerSession: String?, _ client: RequestOrigin,
        token shape: TokenFormat = .opaque, authenticated: Date?,
        methods: AuthenticationMethods
    ) async throws -> SessionCredential {
        // The relying party returns 1970 for a time that is not valid.
        if authenticated?.timeIntervalSince1970 == 0 {
            log.warning(
                "A provider sent an 'auth_time' that is not valid, so the sign-in counts as an old one.",
                ["provider": .text(provider), "request": .text(client.request)])
        }
        let session = try await issuer.issue(
            for: person, device: client.device, token: shape, authenticated: authenticated)
        // After a crash before this write, nobody has the token, so the session cannot be used.
        try await sessions.record(provider: provider, providerSession, methods, of: session.session)
        audit.record(
            AuditEvent(
                .signIn, provider: provider, person: session.person, session: session.session,
                address: client.address.description, request: client.request, device: client.device))
        return session
    }

    /// Whether a sign-in may still end at its destination. The list of redirects may have changed since the sign-in
    /// began.
    package func canEnd(at returnTo: PendingAuthorization.ReturnTarget) -> Bool {
        switch returnTo {
        case .app(let redirect, _, _), .identity(let redirect, _, _): redirects.allows(redirect)
        case .web: true
        }
    }

    package func failure(
        _ error: any Error, at provider: BridgeProvider, _ request: String, from address: ClientAddress? = nil
    ) -> BridgeFailure {
        let failure = BridgeFailure(error)
        metrics.bridge(failure.outcome, at: provider.id)
        switch failure.outcome {
        case .begun, .completed, .denied, .refused: break
        case .unavailable, .failed:
            guard let skipped = loggedFailures.admit(from: address.map { AddressKey($0) }, at: now()) else { break }
            log.warning(
                "A sign-in through an identity provider failed.",
                [
                    "provider": .text(provider.id), "error": .text("\(error)"), "request": .text(request),
                    "not_logged": skipped == 0 ? nil : .number(skipped),
                ])
        }
        return failure
    }
}

extension AuthenticationMethods {
    /// Creates the methods that an identity provider reported.
    init(of identity: ProviderIdentity) {
        self.init(reported: identity.methods ?? [])
    }
}
