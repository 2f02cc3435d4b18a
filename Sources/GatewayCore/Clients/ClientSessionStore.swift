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
    private let database: Database
    private let key: Secret
    private let lifetime: SessionLifetime
    private let accessTokenLifetime: Duration
    private let enforcesPasswordChange: Bool
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let onSessionsEnded: @Sendable (UUID) -> Void

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - key: The key of the authentication codes in refresh tokens. All gateways on the database have the same.
    ///   - lifetime: How long sessions live, and how many a person may have.
    ///   - accessTokenLifetime: How long an access token lives.
    ///   - enforcesPasswordChange: Whether a person who must change their password can do nothing else before.
    ///   - audit: The log that records sessions that were ended.
    ///   - now: Returns the current time.
    ///   - onSessionsEnded: Called after sessions of a person ended because the person had too many.
    package init(
        database: Database, key: Secret, lifetime: SessionLifetime, accessTokenLifetime: Duration,
        enforcesPasswordChange: Bool, audit: AuditLog, now: @escaping @Sendable () -> Date,
        onSessionsEnded: @escaping @Sendable (UUID) -> Void = { _ in }
    ) {
        self.database = database
        self.key = key
        self.lifetime = lifetime
        self.accessTokenLifetime = accessTokenLifetime
        self.enforcesPasswordChange = enforcesPasswordChange
        self.audit = audit
        self.now = now
        self.onSessionsEnded = onSessionsEnded
    }

    /// Starts a session of a client. The tokens are valid, and survive a crash, once this method returns.
    ///
    /// - Parameters:
    ///   - grant: What the person allowed the client.
    ///   - person: The person, as read when the person allowed it.
    ///   - device: The name of the client, and the address that it signs in from.
    ///   - kind: The kind of the device.
    ///   - id: The id of the session.
    ///   - authenticated: When the person last authenticated.
    ///   - browser: The session of the browser in which the person allowed it. If an identity provider signs that
    ///     session out, it also ends the client's. Nil if there is none.
    ///   - methods: How the person authenticated.
    ///   - signer: Makes a signed access token. Nil for an opaque one.
    ///   - isTold: Whether the client is told when its session or that of the browser ends.
    /// - Returns: The tokens.
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or signed out everywhere
    ///   since `person` was read; `DatabaseError`.
    package func issue(
        _ grant: ClientGrant, for person: Person, device: SessionDevice, kind: String? = SessionDevice.clientKind,
        id: SessionID, authenticated: Date, from browser: SessionID?, methods: AuthenticationMethods = .password,
        signer: AccessTokenSigner? = nil, isTold: Bool = false
    ) async throws -> ClientTokens {
        let now = now()
        let cap = now + lifetime.maximum
        let expires = min(now + lifetime.sliding, cap)
        let refresh = RefreshToken(session: id, generation: 1, key: key)
        let access = try AccessToken(generation: 1, expires: min(now + accessTokenLifetime, expires)) { end in
            try signer?.token(
                grant, of: person.id, authenticated: min(authenticated, now), methods: methods, at: now, until: end)
        }
        let maximum = max(1, lifetime.maximumPerPerson)
        let displaced = try await database.write { connection -> [SessionID]? in
            let inserted = try connection.run(
                SessionStatements.insert, id.rawValue, Self.placeholder(of: id).bytes, now, now, expires, cap,
                device.name, kind, device.address, min(authenticated, now), id.uuid, person.id,
                person.sessionEpoch)
            guard inserted == 1 else { return nil }
            try connection.run(ClientSessionStatements.copyProvider, id.rawValue, browser?.rawValue)
            try connection.run(
                ClientSessionStatements.insert, id.rawValue, grant.client, grant.scopes.joined(separator: " "),
                grant.audience.joined(separator: " "), refresh.hash, browser?.rawValue, isTold)
            try access.insert(of: id, connection)
            try Self.recordUse(of: grant.client, at: now, connection)
            return try connection.all(
                SessionStatements.endExcess, now, SessionEndReason.tooManySessions.rawValue, person.id, maximum,
                id.rawValue)
        }
        guard let displaced else {
            throw GatewayError(.unknownPerson, "The person has just been disabled or removed, or has signed out.")
        }
        if !displaced.isEmpty { onSessionsEnded(person.id) }
        for session in displaced {
            audit.record(AuditEvent(.revoked, reason: "too-many-sessions", person: person.id, session: session))
        }
        return tokens(access, refresh.text, of: id, person.id, grant, at: now)
    }

    /// Returns new tokens for a refresh token of a client, or those of the last refresh if they were not used yet.
    /// `signer` makes signed access tokens; without one, they are opaque.
    ///
    /// - Throws: `DatabaseError`.
    package func refresh(
        _ text: String, of client: String, signer: AccessTokenSigner? = nil
    ) async throws -> ClientRefresh {
        guard let token = RefreshToken(text, key: key) else { return .refused }
        let now = now()
        let result = try await database.write { connection in
            try refresh(token, of: client, signer, at: now, connection)
        }
        if case .stolen(let person) = result {
            audit.record(
                AuditEvent(.revoked, reason: "token-reused", person: person, session: token.session, client: client))
            return .stolen
        }
        if case .tokens(let tokens) = result { return .tokens(tokens) }
        return .refused
    }

    private enum Refreshed: Sendable {
        case tokens(ClientTokens), refused, stolen(UUID)
    }

    /// The writes of all gateways on a database run one after another, so nothing changes after the session is read.
    private func refresh(
        _ token: RefreshToken, of client: String, _ signer: AccessTokenSigner?, at now: Date, _ connection: Connection
    ) throws -> Refreshed {
        guard let stored = try connection.first(ClientSessionStatements.find, token.session.rawValue),
            ExactText(stored.grant.client) == ExactText(client), stored.isLive(at: now)
        else { return .refused }
        let expires = min(now + lifetime.sliding, stored.cap)
        var machine = stored.machine
        func access(_ generation: Int) throws -> AccessToken {
            try AccessToken(generation: generation, expires: min(now + accessTokenLifetime, expires)) { end in
                try signer?.token(
                    stored.grant, of: stored.person, authenticated: stored.authenticated, methods: stored.methods,
                    at: now,
                    until: end)
            }
        }
        switch machine.refresh(with: stored.kind(of: token)) {
        case .refuse: return .refused
        case .endSession:
            let person = try connection.first(
                SessionStatements.endByID, now, SessionEndReason.tokenReused.rawValue, token.session.rawValue, now)
            return person.map(Refreshed.stolen) ?? .refused
        case .repeatResponse:
            guard let answer = stored.nextAnswer.flatMap({ SealedAnswer(opening: $0, with: token) }) else {
                return .refused
            }
            var latest = answer.access
            if latest.expires <= now {
                latest = try access(machine.generation + 1)
                let renewed = SealedAnswer(access: latest, refreshToken: answer.refreshToken)
                try connection.run(
                    ClientSessionStatements.replaceAnswer, try renewed.sealed(with: token), token.session.rawValue)
                try latest.insert(of: token.session, connection)
            }
            return .tokens(tokens(latest, answer.refreshToken, of: token.session, stored.person, stored.grant, at: now))
        case .issue(let generation):
            let next = RefreshToken(session: token.session, generation: generation, key: key)
            let latest = try access(generation)
            let answer = SealedAnswer(access: latest, refreshToken: next.text)
            try connection.run(
                ClientSessionStatements.rotate, machine.generation, token.hash, next.hash,
                try answer.sealed(with: token), token.session.rawValue)
            try connection.run(SessionStatements.extend, now, expires, token.session.rawValue)
            try Self.recordUse(of: client, at: now, connection)
            try connection.run(
                ClientSessionStatements.deleteOld, token.session.rawValue, machine.generation - 1, now)
            try latest.insert(of: token.session, connection)
            return .tokens(tokens(latest, next.text, of: token.session, stored.person, stored.grant, at: now))
        }
    }

    /// Records the use of a client that registered itself, at most once a day.
    private static func recordUse(
        of client: String, at now: Date, _ connection: Connection
    ) throws(DatabaseError) {
        try connection.run(ClientStatements.recordUse, now, client, now - .seconds(86_400))
    }

    private func tokens(
        _ access: AccessToken, _ refresh: Secret, of session: SessionID, _ person: UUID, _ grant: ClientGrant,
        at now: Date
    ) -> ClientTokens {
        ClientTokens(
            accessToken: access.text, refreshToken: refresh,
            expiresIn: .seconds(max(0, access.expires.timeIntervalSince(now).rounded(.down))), session: session,
            person: person, grant: grant)
    }

    /// A hash for the session's row that belongs to no token: its text has a length that no token has.
    static func placeholder(of id: SessionID) -> SHA256Digest {
        SHA256.digest("client session " + id.rawValue)
    }
}

extension ClientSessionStore {
    /// Returns the session and the grant of an access token. Nil when the token is not valid.
    ///
    /// The first use of an access token from a refresh makes its refresh token the current one.
    ///
    /// - Throws: `DatabaseError`.
    package func authenticate(_ token: String) async throws -> ClientAccess? {
        guard AccessToken.isPossible(token) else { return nil }
        let hash = SHA256.digest(token).bytes
        let now = now()
        guard let found = try await database.read({ try $0.first(ClientSessionStatements.findAccess, hash) }),
            now < found.expires,
            case .valid(let session) = found.session.authentication(
                at: now, livingUntil: found.session.expires)
        else { return nil }
        if found.generation > found.current {
            // The session may have ended in the meantime, or another request may have done the same.
            let count = try await database.write { connection in
                try connection.run(ClientSessionStatements.promote, session.id.rawValue, found.generation)
            }
            if count == 0 { return try await authenticateAgain(hash, now) }
        }
        return ClientAccess(
            session: session, mustChangePassword: enforcesPasswordChange && session.person.mustChangePassword,
            grant: found.grant, expires: found.expires)
    }

    /// Reads a token whose refresh token another request made the current one, or whose session has just ended.
    private func authenticateAgain(_ hash: [UInt8], _ now: Date) async throws -> ClientAccess? {
        guard let found = try await database.read({ try $0.first(ClientSessionStatements.findAccess, hash) }),
            found.generation <= found.current,
            case .valid(let session) = found.session.authentication(at: now, livingUntil: found.session.expires)
        else { return nil }
        return ClientAccess(
            session: session, mustChangePassword: enforcesPasswordChange && session.person.mustChangePassword,
            grant: found.grant, expires: found.expires)
    }

    /// Ends the session of an access token or refresh token of a client, even of one that was replaced. Returns nil
    /// when there is no live session.
    ///
    /// - Throws: `DatabaseError`.
    ///
    /// Source: RFC 7009 §2.1.
    package func end(_ text: String, of client: String) async throws -> EndedSession? {
        let now = now()
        let refresh = RefreshToken(text, key: key)
        let hash = SHA256.digest(text).bytes
        return try await database.write { connection in
            let found =
                try refresh?.session.rawValue ?? connection.first(ClientSessionStatements.sessionOfAccess, hash)
            guard let id = found, let stored = try connection.first(ClientSessionStatements.find, id),
                ExactText(stored.grant.client) == ExactText(client),
                let person = try connection.first(
                    SessionStatements.endByID, now, SessionEndReason.signedOut.rawValue, id, now)
            else { return nil }
            return EndedSession(session: SessionID(rawValue: id), person: person)
        }
    }

    /// Ends the session that a code was exchanged for, because the code was sent again. Returns nil when there is none.
    ///
    /// - Throws: `DatabaseError`.
    ///
    /// Source: RFC 6749 §4.1.2 and §10.5.
    package func endSession(ofReusedCode id: SessionID) async throws -> EndedSession? {
        let now = now()
        let person = try await database.write { connection -> UUID? in
            guard try connection.first(ClientSessionStatements.find, id.rawValue) != nil else { return nil }
            return try connection.first(
                SessionStatements.endByID, now, SessionEndReason.tokenReused.rawValue, id.rawValue, now)
        }
        guard let person else { return nil }
        audit.record(AuditEvent(.revoked, reason: "code-reused", person: person, session: id))
        return EndedSession(session: id, person: person)
    }

    /// Returns the session that a refresh token names. Nil for text that is no refresh token of this server.
    func session(ofRefresh text: String) -> SessionID? { RefreshToken(text, key: key)?.session }

    /// Returns the session that an access token was issued for, even if the token has expired. Nil for other text.
    ///
    /// - Throws: `DatabaseError`.
    func session(ofAccess digest: SHA256Digest) async throws -> SessionID? {
        let hash = digest.bytes
        return try await database.read { try $0.first(ClientSessionStatements.sessionOfAccess, hash) }
            .map(SessionID.init(rawValue:))
    }

    /// Deletes access tokens that have expired, at most 500 in each transaction.
    ///
    /// - Throws: `DatabaseError`; `CancellationError`.
    package static func purge(_ database: Database, now: Date) async throws {
        // Another gateway, whose clock is late, may still accept a token that has expired here.
        let limit = now - ClockDifference.tolerated
        while try await database.write({ try $0.run(ClientSessionStatements.purge, limit) }) > 0 {
            try Task.checkCancellation()
        }
    }
}

/// An access token, before it is stored.
struct AccessToken: Sendable {
    /// The token's text.
    let text: Secret
    /// The number of the refresh token that came with it.
    let generation: Int
    /// When it expires.
    let expires: Date

    /// Creates a token that is signed by `sign`, or opaque where that returns nil.
    init(generation: Int, expires: Date, signedBy sign: (Date) throws -> Secret?) throws {
        let text = try sign(expires) ?? Secret(Base64URL.encode(SecureRandom.bytes(32)))
        self.init(text: text, generation: generation, expires: expires)
    }

    init(text: Secret, generation: Int, expires: Date) {
        self.text = text
        self.generation = generation
        self.expires = expires
    }

    /// Whether a text can be an access token: an opaque or a signed one.
    static func isPossible(_ text: String) -> Bool {
        text.utf8.count == 43 || (100...8_192).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "."))
    }

    func insert(of session: SessionID, _ connection: Connection) throws(DatabaseError) {
        try connection.run(
            ClientSessionStatements.insertAccess, SHA256.digest(text).bytes, session.rawValue, generation, expires)
    }
}

/// The tokens of a response to a refresh, which is kept until they are first used.
struct SealedAnswer: Sendable {
    let access: AccessToken
    let refreshToken: Secret

    init(access: AccessToken, refreshToken: Secret) {
        self.access = access
        self.refreshToken = refreshToken
    }

    /// Seals the response with the refresh token that it was made for.
    func sealed(with token: RefreshToken) throws(CryptoError) -> [UInt8] {
        let milliseconds = UInt64(max(0, access.expires.timeIntervalSince1970 * 1_000))
        let number = (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * $0)) }
        let plain = number + access.text.withBytes { Array($0) } + refreshToken.withBytes { Array($0) }
        return try Sealing.seal(plain, key: token.answerKey, context: Self.context(token))
    }

    /// Opens a response. Nil when it was not made for this token.
    init?(opening box: [UInt8], with token: RefreshToken) {
        let shortest = 8 + RefreshToken.textCount
        guard let plain = try? Sealing.open(box, key: token.answerKey, context: Self.context(token)),
            plain.count > shortest
        else { return nil }
        let milliseconds = plain.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        access = AccessToken(
            text: Secret(bytes: Array(plain[8..<(plain.count - RefreshToken.textCount)])),
            generation: token.generation + 1,
            expires: Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
        refreshToken = Secret(bytes: Array(plain.suffix(RefreshToken.textCount)))
    }

    private static func context(_ token: RefreshToken) -> [UInt8] { Array(token.session.rawValue.utf8) }
}
