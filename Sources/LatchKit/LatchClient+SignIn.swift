import HTTPClient
import OpenIDConnect
import Synchronization

// Signing in, and revoking what a sign-in replaces or leaves behind.
extension LatchClient {
    /// Signs in with a password, stores the account and makes it active.
    ///
    /// If there is already an account of this person on this server, it is used again, and its old session is ended on
    /// the server. If the sign-in fails or is cancelled, nothing changes, and a token that was
    /// granted is revoked. Once the account is stored, nothing can fail any more. The remaining steps of
    /// ``SignInProgress`` follow.
    ///
    /// - Parameters:
    ///   - signIn: The e-mail address and password.
    ///   - server: The server that ``probe(_:connection:)`` found.
    ///   - onStep: Called after each step of ``SignInProgress``.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError`` with the code ``LatchError/Code/wrongCredentials``,
    ///   ``LatchError/Code/passwordLoginDisabled``, ``LatchError/Code/rateLimited`` or a code of the network, the
    ///   secret store or the storage; `CancellationError`.
    public func signIn(
        _ signIn: PasswordSignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.passwordSignIn, at: server.address) {
            try await storeSignIn(at: server, email: signIn.email, onStep: onStep) { connection in
                try await signIn.perform(at: server, connection)
            }
        }
    }

    /// Signs in with the browser, stores the account and makes it active.
    ///
    /// Waits for the person for at most ``BrowserSignIn/timeout``. Otherwise it behaves like
    /// ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)``.
    ///
    /// - Parameters:
    ///   - signIn: How the browser is opened and how it returns to the program.
    ///   - server: The server that ``probe(_:connection:)`` found.
    ///   - onStep: Called after each step of ``SignInProgress``.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError`` with the code ``LatchError/Code/signInDenied``, ``LatchError/Code/signInTimedOut``,
    ///   ``LatchError/Code/browserClosed``, ``LatchError/Code/callbackUnavailable``,
    ///   ``LatchError/Code/callbackInvalid``, ``LatchError/Code/codeRefused``, ``LatchError/Code/identityUnknown``,
    ///   ``LatchError/Code/browserLoginDisabled``, ``LatchError/Code/browserMissing``,
    ///   ``LatchError/Code/unknownProvider``, ``LatchError/Code/clientIDRequired`` or a code of the network, the secret
    ///   store or the storage; `CancellationError`.
    public func signIn(
        _ signIn: BrowserSignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.browserSignIn, at: server.address) {
            do {
                return try await storeSignIn(at: server, email: nil, onStep: onStep) { connection in
                    try await signIn.perform(
                        at: server, connection, folders: folders,
                        earlierDetails: try await accounts.details(at: server)
                    ) {
                        try await self.accounts.recordKey(
                            KeyName(self.device), of: try Self.email(of: $0, server), at: server)
                    }
                }
            } catch let error as LatchError {
                throw error.inBrowser
            }
        }
    }

    /// Signs in with a code that the person enters on another device, such as a phone, stores the account and makes it
    /// active.
    ///
    /// Waits until the person has decided or the code has expired. Failures of the network do not end the waiting. If it
    /// is cancelled, nothing is left: a token that was granted meanwhile is revoked. Otherwise it behaves like
    /// ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)``.
    ///
    /// - Parameters:
    ///   - signIn: How the code is shown.
    ///   - server: The server that ``probe(_:connection:)`` found.
    ///   - onStep: Called after each step of ``SignInProgress``.
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError`` with the code ``LatchError/Code/deviceLoginDisabled``,
    ///   ``LatchError/Code/clientIDRequired``, ``LatchError/Code/signInDenied``, ``LatchError/Code/signInTimedOut``,
    ///   ``LatchError/Code/codeRefused``, ``LatchError/Code/identityUnknown`` or a code of the network, the secret store
    ///   or the storage; `CancellationError`.
    ///
    /// Source: RFC 8628.
    public func signIn(
        _ signIn: DeviceSignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.deviceSignIn, at: server.address) {
            try await storeSignIn(at: server, email: nil, onStep: onStep) { connection in
                try await signIn.perform(
                    at: server, connection, earlierDetails: try await accounts.details(at: server))
            }
        }
    }

    /// Returns whether a server lets people sign in with a code on another device.
    ///
    /// A server of OAuth says so in its metadata. At any other server, the metadata of a gateway at its address are
    /// requested.
    ///
    /// - Parameter server: The server that ``probe(_:connection:)`` found.
    /// - Returns: Whether it does. False when the server does not respond.
    public func offersDeviceSignIn(at server: Server) async -> Bool {
        if let dialect = server.dialect as? OAuthDialect { return dialect.offersDeviceSignIn }
        guard let client = try? server.connection.client(userAgent: device.userAgent, home: server.address) else {
            return false
        }
        return await client.closeAfter { client in
            let connection = unauthenticatedConnection(to: server, client)
            return (try? await GatewayDeviceSignIn(server: server, connection: connection).find()) != nil
        }
    }

    /// Signs in with an API key that the person already has, stores the account and makes it active.
    ///
    /// The key is tried before it is stored. If it does not work, nothing is stored. Otherwise the method behaves like
    /// ``signIn(_:to:onStep:)-(PasswordSignIn,_,_)``, except that a key is not revoked when the sign-in fails, because
    /// the person made it.
    ///
    /// - Returns: The account, signed in.
    /// - Throws: ``LatchError`` with the code ``LatchError/Code/wrongCredentials``, ``LatchError/Code/noKeys`` or a
    ///   code of the network, the secret store or the storage; `CancellationError`.
    ///
    /// Source: RM-7; docs/protocols/relate-mail.md, Servers without a provider.
    public func signIn(
        _ signIn: KeySignIn, to server: Server, onStep: @escaping @Sendable (SignInProgress) -> Void = { _ in }
    ) async throws -> Account {
        try await log.timing(.keySignIn, at: server.address) {
            try await storeSignIn(at: server, email: nil, revokesOnFailure: false, onStep: onStep) { connection in
                try await signIn.perform(at: server, connection)
            }
        }
    }

    /// Returns a connection to a server for requests before there is a session.
    func unauthenticatedConnection(to server: Server, _ client: HTTPClient) -> UnauthenticatedConnection {
        UnauthenticatedConnection(
            to: server.address, client: client, device: device, timeout: self.accounts.requestTimeout())
    }

    /// Gets a token with `grant` and stores it with the account. If the server is a gateway that binds tokens to keys,
    /// all requests of the sign-in have proofs of a new key, which is stored with the token.
    private func storeSignIn(
        at server: Server, email: EmailAddress?, revokesOnFailure: Bool = true,
        onStep: @escaping @Sendable (SignInProgress) -> Void, grant: (UnauthenticatedConnection) async throws -> Grant
    ) async throws -> Account {
        let client = try server.connection.client(userAgent: device.userAgent, home: server.address)
        let account = try await client.closeAfter { client in
            let connection = unauthenticatedConnection(to: server, client)
            let key = try await proofKey(for: server, connection)
            var grant = try await grant(
                key.map { connection.proving(ProofSigner($0, now: accounts.now)) } ?? connection)
            if let key, grant.isBound != false { grant.proofKey = try key.pem() }
            return try await storeSignIn(
                grant, of: email, at: server, with: client, revokesOnFailure: revokesOnFailure,
                onStep: onStep)
        }
        // The new token may be due before all others.
        renewalTimer.withLock { $0?.wake() }
        await finishSignIn(account, onStep)
        return account
    }

    private func proofKey(for server: Server, _ connection: UnauthenticatedConnection) async throws -> DPoPKey? {
        guard let issuer = server.dialect.bindingIssuer else { return nil }
        let place = server.dialect.identity.base ?? server.address
        return try await connection.connection(to: place).proofKey(issuer: issuer)
    }

    private func storeSignIn(
        _ grant: Grant, of email: EmailAddress?, at found: Server, with client: HTTPClient, revokesOnFailure: Bool,
        onStep: @escaping @Sendable (SignInProgress) -> Void
    ) async throws -> Account {
        let server = grant.dialect.map(found.speaking) ?? found
        let tokens = SessionTokens(grant)
        do {
            let identity = try await PasswordSignIn.identity(
                behind: grant, at: server, with: client, timeout: accounts.requestTimeout(), now: accounts.now)
            let who = try email ?? Self.email(of: identity, server)
            let expires = grant.expires(from: accounts.now()) ?? identity?.tokenExpires
            let signIn = SignedIn(
                server: server, email: who.text, tokens: tokens, expires: expires,
                refreshAfter: server.dialect.refreshDate(now: accounts.now(), expires: expires),
                displayName: identity?.name, personID: identity?.id,
                scopes: grant.scopes ?? identity?.scopes ?? [], keyID: grant.keyID,
                keyName: grant.made?.intent.name, mustChangePassword: grant.mustChangePassword,
                isPersonsOwn: !revokesOnFailure)
            try Task.checkCancellation()
            let (account, old) = try await accounts.storeSignIn(signIn, onStep)
            grant.made?.intent.release()
            if let dialect = server.dialect as? any KeyDialect {
                await revokeOrphanedKeys(
                    of: account, dialect: dialect, key: tokens.access, at: server, with: client)
            } else if let old, old.isAnother(than: tokens) {
                let before = server.speaking(server.dialect.with(details: old.details))
                await revoke(old.tokens.lasting, keyID: old.keyID, at: before, with: client)
            }
            return account
        } catch {
            if let made = grant.made {
                await made.discard()
            } else if revokesOnFailure {
                await revoke(tokens.lasting, keyID: grant.keyID, at: server, with: client)
            }
            throw error
        }
    }

    /// Returns the e-mail address that the server reports. A browser sign-in needs it, because only the server knows
    /// who signed in. With a password the person has given it.
    private static func email(of identity: Identity?, _ server: Server) throws(LatchError) -> EmailAddress {
        if let identity, let email = try? EmailAddress(typed: identity.email) { return email }
        throw LatchError(
            .identityUnknown,
            "Login failed: \(server.address) did not report who signed in, so no account was stored. Try again.")
    }

    /// Revokes the keys that the new key replaces and orphaned keys of earlier sign-ins, even when the caller is
    /// cancelled.
    private func revokeOrphanedKeys(
        of account: Account, dialect: any KeyDialect, key: Secret, at server: Server, with client: HTTPClient
    ) async {
        let accounts = accounts
        await Task {
            guard let lock = try? await accounts.locks.lock(account.id) else { return }
            defer { lock.release() }
            let send: RequestSender = { request in
                try await PasswordSignIn.send(
                    server.authorize(request, with: key), to: server, with: client,
                    timeout: accounts.revocationTimeout)
            }
            _ = try? await accounts.revokeOrphanedKeys(
                of: account.id, dialect: dialect, at: server.address, send: send)
        }.value
    }

    /// Ends a session on its server if the server responds within the timeout, even when the caller is cancelled.
    /// Errors are ignored.
    private func revoke(_ token: Secret, keyID: String?, at server: Server, with client: HTTPClient) async {
        guard let request = server.dialect.signOut(keyID: keyID) else { return }
        let (signOutRequest, accounts) = (server.authorize(request, with: token), accounts)
        await Task {
            _ = try? await PasswordSignIn.send(
                signOutRequest, to: server, with: client, timeout: accounts.revocationTimeout)
        }.value
    }
}
