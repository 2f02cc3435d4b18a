package import Crypto
package import Database
package import FoundationEssentials

/// Issues the tokens of clients, and checks them. Each sign-in to a client is a session, which is listed and ended like
/// any other.
///
/// Access tokens are short-lived and looked up for each request, so that a session that has ended is refused at once by
/// every gateway. Refresh tokens are replaced with each refresh; see ``RefreshTokenStateMachine``. Only hashes of the
/// tokens are stored, and the last response to a refresh is sealed with the token that it was made for.
///
/// Source: OX-6; RFC 6749 §6; RFC 9700 §2.2.2 and §4.14.
package struct ClientSessionStore: Sendable {
    /// The maximum number of valid access tokens from one refresh that was repeated. The oldest beyond it are deleted.
    static let maximumRepeatedTokens = 4

    let database: Database
    let key: Secret
    private let lifetime: SessionLifetime
    private let accessTokenLifetime: Duration
    private let maximumFirstUses: Int
    let enforcesPasswordChange: Bool
    let audit: AuditLog
    let now: @Sendable () -> Date
    let onSessionsEnded: @Sendable (UUID) -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - key: The key of the authentication codes in refresh tokens. All gateways on the database have the same.
    ///   - lifetime: How long sessions live, and how many a person may have.
    ///   - accessTokenLifetime: How long an access token lives.
    ///   - maximumRegistered: The maximum number of clients that registered themselves.
    ///   - enforcesPasswordChange: Whether a person who must change their password can do nothing else before.
    ///   - audit: The log that records sessions that were ended.
    ///   - now: Returns the current time.
    ///   - onSessionsEnded: Called after sessions of a person ended because the person had too many.
    package init(
        database: Database, key: Secret, lifetime: SessionLifetime, accessTokenLifetime: Duration,
        maximumRegistered: Int, enforcesPasswordChange: Bool, audit: AuditLog, now: @escaping @Sendable () -> Date,
        onSessionsEnded: @escaping @Sendable (UUID) -> Void = { _ in }
    ) {
        self.database = database
        self.key = key
        self.lifetime = lifetime
        self.accessTokenLifetime = accessTokenLifetime
        maximumFirstUses = ClientStore.maximumPerFirstPerson(of: maximumRegistered)
        self.enforcesPasswordChange = enforcesPasswordChange
        self.audit = audit
        self.now = now
        self.onSessionsEnded = onSessionsEnded
    }

    /// Starts a session of a client. The tokens are valid, and survive a crash, once this method returns.
    ///
    /// - Parameters:
    ///   - grant: What the person allowed the client. Scopes that the client may not get are left out.
    ///   - client: The client, whose settings say who may sign in, for how long, and with which scopes.
    ///   - person: The person, as read when the person allowed it.
    ///   - device: The name of the client, its kind, and the address that it signs in from.
    ///   - id: The id of the session. If a session has it already, that session is ended, because the code that the id is
    ///     derived from was used twice.
    ///   - authenticated: When the person last authenticated.
    ///   - browser: The session of the browser in which the person allowed it. If an identity provider signs that
    ///     session out, it also ends the client's. Nil if there is none.
    ///   - methods: How the person authenticated.
    ///   - signer: Makes a signed access token. Nil for an opaque one.
    ///   - requiresConsent: Whether the person must still allow the client the grant. Default: false.
    ///   - isTold: Whether the client is told when its session or that of the browser ends.
    ///   - binding: The key that the tokens are bound to. Default: none.
    /// - Returns: The tokens.
    /// - Throws: ``GatewayError/Code/tooManySessions`` when the client has started too many sessions of the person;
    ///   ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or signed out everywhere since
    ///   `person` was read; ``GatewayError/Code/unknownClient`` when the person removed the client's access, or the
    ///   client was removed, also because the person is the first user of too many; ``ClientRefusal`` when the person may
    ///   not sign in to the client; ``GatewayError/Code/codeUsed`` when a session has the id; `DatabaseError`.
    package func issue(
        _ grant: ClientGrant, to client: RegisteredClient, for person: Person, device: SessionDevice, id: SessionID,
        authenticated: Date,
        from browser: SessionID?, methods: AuthenticationMethods = .password,
        signer: AccessTokenSigner? = nil, requiresConsent: Bool = false, isTold: Bool = false,
        binding: TokenBinding? = nil
    ) async throws -> ClientTokens {
        let now = now()
        let grant = client.settings.narrowed(grant)
        let lifetimes = lifetimes(of: client)
        let (cap, expires) = (now + lifetimes.total, now + lifetimes.idle)
        let key = binding?.thumbprint
        let refresh = RefreshToken(
            session: id, generation: 1, isBound: binding?.includesRefreshTokens ?? false, key: self.key)
        let access = try AccessToken(
            generation: 1, expires: min(now + lifetimes.accessToken, expires), keyThumbprint: key
        ) { end in
            try signer?.token(
                grant, of: person.id, authenticated: min(authenticated, now), methods: methods, boundTo: key, at: now,
                until: end)
        }
        let maximum = max(1, lifetime.maximumPerPerson)
        let issued = try await database.write { connection -> Issued in
            // Here, because two requests may use a code at the same time. The writes run one after another.
            guard try connection.first(ClientSessionStatements.find, id.rawValue) == nil else { return .codeUsed }
            // Here, because the person may remove the access at the same time.
            guard
                try !requiresConsent
                    || ClientStore.isAllowed(grant, by: person.id, named: client.selfChosenName, connection)
            else {
                throw GatewayError(.unknownClient, "The client's access has just been removed.")
            }
            let bounded = grant.isOwn ? nil : grant.client
            if let bounded {
                try SessionBounds.admit(lifetime.maximumNewPerClient, client: bounded, person.id, at: now, connection)
            }
            let inserted = try connection.run(
                SessionStatements.insert, id.rawValue, Self.placeholder(of: id).bytes, now, now, expires, cap,
                device.name, device.kind, device.address, min(authenticated, now), id.uuid, person.id,
                person.sessionEpoch)
            guard inserted == 1 else { return .personChanged }
            try connection.run(ClientSessionStatements.copyProvider, id.rawValue, browser?.rawValue)
            // An error undoes the insertion.
            if let refusal = try Self.refusal(id, of: client, at: now, connection) { throw refusal }
            try connection.run(
                ClientSessionStatements.insert, id.rawValue, grant.client, grant.scopes.joined(separator: " "),
                grant.audience.joined(separator: " "), refresh.hash, browser?.rawValue, isTold)
            try binding?.bindRefreshTokens(of: id, connection)
            try access.insert(of: id, connection)
            let removed = try ClientStore.recordUse(
                of: grant.client, by: person.id, upTo: maximumFirstUses, at: now, connection)
            let ended = try SessionBounds.apply(
                maximum, keeping: id.rawValue, client: bounded, person.id, at: now, connection)
            return .started(displaced: ended, removed: removed)
        }
        switch issued {
        case .personChanged:
            throw GatewayError(.unknownPerson, "The person has just been disabled or removed, or has signed out.")
        case .codeUsed:
            _ = try await endSession(ofReusedCode: id, at: now)
            throw GatewayError(.codeUsed, "This code was used before. Sign in again.")
        case .started(let displaced, let removed):
            if !displaced.isEmpty { onSessionsEnded(person.id) }
            for session in displaced {
                audit.record(AuditEvent(.revoked, reason: "too-many-sessions", person: person.id, session: session))
            }
            recordRemoval(of: removed, person.id)
            guard !removed.contains(where: { ExactText($0) == ExactText(client.id) }) else {
                throw GatewayError(
                    .unknownClient, "The person is the first user of too many clients that other people use.")
            }
        }
        return tokens(
            access, refresh.text, of: id, person.id, (authenticated: authenticated, methods: methods), grant, at: now)
    }

    private enum Issued: Sendable {
        case started(displaced: [SessionID], removed: [String])
        case codeUsed, personChanged
    }

    /// Returns new tokens for a refresh token of a client, or those of the last refresh if they were not used yet.
    ///
    /// - Parameters:
    ///   - text: The refresh token, of any length.
    ///   - client: The client. If its person may not sign in to it any more, the session ends.
    ///   - signer: Makes a signed access token. Nil for an opaque one.
    ///   - binding: The key whose possession the request proves. The access token is bound to it. Default: none.
    /// - Returns: The tokens, or why there are none.
    /// - Throws: `DatabaseError`.
    package func refresh(
        _ text: String, of client: RegisteredClient, signer: AccessTokenSigner? = nil, binding: TokenBinding? = nil
    ) async throws -> ClientRefresh {
        guard client.settings.issuesRefreshTokens, let token = RefreshToken(text, key: key) else { return .refused }
        let now = now()
        let result = try await database.write { connection in
            try refresh(token, of: client, signer, binding, at: now, connection)
        }
        switch result {
        case .tokens(let tokens, let removed):
            recordRemoval(of: removed, tokens.person)
            return .tokens(tokens)
        case .otherKey: return .otherKey
        case .refused: return .refused
        case .stolen(let person, let allowed):
            for session in allowed {
                audit.record(AuditEvent(.revoked, reason: "token-reused", person: person, session: session))
            }
            record(end: token.session, of: person, client, "token-reused")
            return .stolen
        case .notAdmitted(let person, let refusal):
            record(end: token.session, of: person, client, refusal.reason)
            return .refused
        }
    }

    /// Records that clients were removed because a person was the first user of too many.
    private func recordRemoval(of clients: [String], _ person: UUID) {
        for client in clients {
            audit.record(AuditEvent(.clientRemoved, reason: "too-many-of-person", person: person, client: client))
        }
    }

    private func record(
        end session: SessionID, of person: UUID, _ client: RegisteredClient, _ reason: StaticString
    ) {
        audit.record(AuditEvent(.revoked, reason: reason, person: person, session: session, client: client.id))
        // The sessions that were created from it ended with it.
        onSessionsEnded(person)
    }

    private func lifetimes(of client: RegisteredClient) -> ClientLifetimes {
        ClientLifetimes(client.settings, accessToken: accessTokenLifetime, sessions: lifetime)
    }

    /// Returns why the person of a session may not sign in to a client, by what is stored now. Nil for a person who may.
    private static func refusal(
        _ session: SessionID, of client: RegisteredClient, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> ClientRefusal? {
        guard client.mayRefuse else { return nil }
        guard let stored = try connection.first(ClientSessionStatements.findSession, session.rawValue),
            let person = stored.person
        else { return .notAdmitted }
        return client.refusal(of: person, in: stored.groups, stored.methods.level)
    }

    /// Whether this server issued a text as a refresh token. It may be over.
    package func isRefreshToken(_ text: String) -> Bool { session(ofRefreshToken: text) != nil }

    /// The session that this server issued a refresh token for. Nil for any other text. It may be over.
    package func session(ofRefreshToken text: String) -> SessionID? { RefreshToken(text, key: key)?.session }

    /// Records the proof of the current request as used for a refresh token, in the share of the token's person. Only for
    /// a token of this server, so that nobody else fills the memory of used proofs.
    ///
    /// - Returns: False when the text is no refresh token of this server, its session was deleted, or the proof was used
    ///   before.
    /// - Throws: As ``RequestProof/isFirstUse(of:)``; `DatabaseError`.
    package func recordProof(ofRefreshToken text: String) async throws -> Bool {
        guard let id = session(ofRefreshToken: text)?.rawValue else { return false }
        guard let proof = RequestProof.current else { return true }
        guard let stored = try await database.read({ try $0.first(ClientSessionStatements.find, id) }) else {
            return false
        }
        return try await proof.isFirstUse(of: stored.person)
    }

    private enum Refreshed: Sendable {
        case tokens(ClientTokens, removed: [String] = [])
        case refused, otherKey, stolen(UUID, allowed: [SessionID]), notAdmitted(UUID, ClientRefusal)
    }

    /// The writes of all gateways on a database run one after another, so nothing changes after the session is read.
    private func refresh(
        _ token: RefreshToken, of client: RegisteredClient, _ signer: AccessTokenSigner?, _ binding: TokenBinding?,
        at now: Date, _ connection: Connection
    ) throws -> Refreshed {
        let lifetimes = lifetimes(of: client)
        guard let stored = try connection.first(ClientSessionStatements.find, token.session.rawValue),
            ExactText(stored.grant.client) == ExactText(client.id), stored.isLive(at: now),
            now < stored.created + lifetimes.total
        else { return .refused }
        let expires = min(now + lifetimes.idle, stored.cap, stored.created + lifetimes.total)
        let (kind, key) = (stored.kind(of: token), binding?.thumbprint)
        // An old token means theft, also in a request that proves no key. So does a current token that is not bound, when
        // another request has bound the next one to a key: two parties have it.
        let isOther = stored.keyThumbprint.map { $0 != key } ?? false
        if kind != .old, isOther, token.isBound { return .otherKey }
        var machine = stored.machine
        let grant = client.settings.narrowed(stored.grant)
        func access(_ generation: Int) throws -> AccessToken {
            try AccessToken(
                generation: generation, expires: min(now + lifetimes.accessToken, expires), keyThumbprint: key
            ) { end in
                try signer?.token(
                    grant, of: stored.person, authenticated: stored.authenticated, methods: stored.methods,
                    boundTo: key, at: now, until: end)
            }
        }
        func issued(_ access: AccessToken, _ refresh: Secret) -> ClientTokens {
            tokens(
                access, refresh, of: token.session, stored.person,
                (authenticated: stored.authenticated, methods: stored.methods), grant, at: now)
        }
        let action = isOther && kind == .current ? .endSession : machine.refresh(with: kind)
        if action.issuesTokens {
            if let refusal = try Self.refusal(token.session, of: client, at: now, connection) {
                let person = try connection.first(
                    SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, token.session.rawValue, now)
                return person.map { .notAdmitted($0, refusal) } ?? .refused
            }
            // What an administrator has taken from the client since.
            if grant != stored.grant {
                try connection.run(
                    ClientSessionStatements.setScopes, grant.scopes.joined(separator: " "), token.session.rawValue)
            }
        }
        switch action {
        case .refuse: return .refused
        case .endSession:
            let reason = SessionEndReason.tokenReused
            let person = try connection.first(
                SessionStatements.endByID, now, reason.rawValue, token.session.rawValue, now)
            guard let person else { return .refused }
            // The thief may have allowed others in it.
            let allowed = try SessionAdministration.endAllowed(
                in: token.session, of: person, .revoked, at: now, connection)
            return .stolen(person, allowed: allowed)
        case .repeatResponse:
            guard let answer = stored.nextAnswer.flatMap({ SealedAnswer(opening: $0, with: token) }) else {
                return .refused
            }
            var latest = answer.access
            if latest.expires <= now || latest.keyThumbprint != key {
                latest = try access(machine.generation + 1)
                let renewed = SealedAnswer(access: latest, refreshToken: answer.refreshToken)
                try connection.run(
                    ClientSessionStatements.replaceAnswer, try renewed.sealed(with: token), token.session.rawValue)
                // A confidential client may repeat a refresh with any number of keys.
                try connection.run(
                    ClientSessionStatements.deleteRepeated, token.session.rawValue, latest.generation,
                    Self.maximumRepeatedTokens - 1)
                try latest.insert(of: token.session, connection)
            }
            return .tokens(issued(latest, answer.refreshToken))
        case .issue(let generation):
            let isBound = stored.keyThumbprint != nil || binding?.includesRefreshTokens == true
            let next = RefreshToken(session: token.session, generation: generation, isBound: isBound, key: self.key)
            let latest = try access(generation)
            let answer = SealedAnswer(access: latest, refreshToken: next.text)
            try connection.run(
                ClientSessionStatements.rotate, machine.generation, token.hash, next.hash,
                try answer.sealed(with: token), token.session.rawValue)
            try binding?.bindRefreshTokens(of: token.session, connection)
            try connection.run(SessionStatements.extend, now, expires, token.session.rawValue)
            let removed = try ClientStore.recordUse(
                of: client.id, by: stored.person, upTo: maximumFirstUses, at: now, connection)
            try connection.run(
                ClientSessionStatements.deleteOld, token.session.rawValue, machine.generation - 1, now)
            try latest.insert(of: token.session, connection)
            return .tokens(issued(latest, next.text), removed: removed)
        }
    }

    private func tokens(
        _ access: AccessToken, _ refresh: Secret, of session: SessionID, _ person: UUID,
        _ authentication: (authenticated: Date, methods: AuthenticationMethods), _ grant: ClientGrant, at now: Date
    ) -> ClientTokens {
        ClientTokens(
            accessToken: access.text, refreshToken: refresh,
            expiresIn: .seconds(max(0, access.expires.timeIntervalSince(now).rounded(.down))), session: session,
            person: person, authenticated: authentication.authenticated, methods: authentication.methods,
            grant: grant, keyThumbprint: access.keyThumbprint)
    }

    /// A hash for the session's row that belongs to no token: its text has a length that no token has.
    static func placeholder(of id: SessionID) -> SHA256Digest {
        SHA256.digest("client session " + id.rawValue)
    }
}
