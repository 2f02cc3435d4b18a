import Crypto
import Database
public import FoundationEssentials

/// Sessions that live in the database, known by their token: 256 random bits unless its shape is another.
///
/// The token is 43 characters of base64url; only its SHA-256 is stored, and it is on disk before it is given out. Every
/// use makes the session live on for the sliding lifetime, up to its cap; a refresh does so at once and gives the same
/// token back. What ended here is refused here at once.
///
/// A token of another shape is known by its SHA-256 too: whether its signature is good is not asked here, for nobody makes
/// a text whose hash is stored.
///
/// Source: OX-1, OX-6; contract of Onyx, b.6; RFC 6819 §5.1.4.1.3 and §5.1.5.
public final class StatefulSessionIssuer: SessionIssuer {
    private let database: Database
    private let lifetime: SessionLifetime
    private let now: @Sendable () -> Date
    private let cache: SessionCache
    private let leftUses = LastUses()
    private let audit: AuditLog?
    private let enforcesPasswordChange: Bool

    /// Makes an issuer on a database with the gateway's tables.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - lifetime: How long sessions live, and how many a person may have.
    ///   - enforcesPasswordChange: Whether a person who must change their password may do nothing else before.
    ///   - audit: The log that records sessions ended because a person had too many.
    ///   - cacheCapacity: How many sessions are kept in memory.
    ///   - now: The clock.
    init(
        database: Database, lifetime: SessionLifetime, enforcesPasswordChange: Bool = true, audit: AuditLog? = nil,
        cacheCapacity: Int = 196_608, now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.lifetime = lifetime
        self.enforcesPasswordChange = enforcesPasswordChange
        self.audit = audit
        self.now = now
        cache = SessionCache(lifetime: lifetime, capacity: cacheCapacity, leftUses: leftUses)
    }

    /// How many sessions are in memory.
    public var rememberedCount: Int { cache.count }

    /// Starts a session; see ``SessionIssuer``.
    public func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential {
        let id = SessionID.random()
        let now = now()
        let cap: Date
        let expires: Date
        let token: Secret
        var expiresIn: Duration?
        switch shape {
        case .opaque:
            cap = now + lifetime.maximum
            expires = min(now + lifetime.sliding, cap)
            token = Secret(Base64URL.encode(SecureRandom.bytes(32)))
        case .made(let lifetime, let make):
            // What such a text says of time it says in whole seconds.
            let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            let bounded = min(lifetime, self.lifetime.maximum)
            cap = created + bounded
            expiresIn = bounded
            expires = cap
            token = try make(SessionFacts(id: id, person: person, created: created, expires: expires))
        }
        let hash = SHA256.digest(token).bytes
        let maximum = max(1, lifetime.maximumPerPerson)
        let displaced = try await database.write { connection -> [SessionID]? in
            let inserted = try connection.run(
                SessionStatements.insert, id.rawValue, hash, now, now, expires, cap, device.name, device.kind,
                device.address, min(authenticated ?? now, now), id.uuid, person.id, person.sessionEpoch)
            guard inserted == 1 else { return nil }
            return try connection.all(
                SessionStatements.endExcess, now, SessionEndReason.tooManySessions.rawValue, person.id, maximum,
                asking?.rawValue)
        }
        guard let displaced else {
            throw GatewayError(.unknownPerson, "The person was disabled, removed or got another password just now.")
        }
        if !displaced.isEmpty { cache.remove(person: person.id) }
        for session in displaced {
            audit?.record(AuditEvent(.revoked, reason: "too-many-sessions", person: person.id, session: session))
        }
        return SessionCredential(token: token, expiresIn: expiresIn, session: id, person: person.id)
    }

    /// The longest token that is looked at, in bytes.
    private static let maximumTokenCount = 4_096
    /// No token of another shape is shorter than this.
    private static let minimumMadeCount = 100

    /// Tells whose session a token is of; see ``SessionIssuer``.
    public func authenticate(_ token: String) async throws -> Authentication {
        if let answer = cachedAuthentication(token) { return answer }
        return try await authenticateFromDatabase(SHA256.digest(token), now())
    }

    /// Tells whose session a token is of, when that is in memory; see ``SessionIssuer``.
    public func cachedAuthentication(_ token: String) -> Authentication? {
        let count = token.utf8.count
        guard count == 43 || (Self.minimumMadeCount...Self.maximumTokenCount).contains(count) else {
            return .unrecognized
        }
        let digest = SHA256.digest(token)
        return cache.use(digest, at: now()).map(authentication)
    }

    /// The result for a live session.
    private func authentication(_ session: Session) -> Authentication {
        enforcesPasswordChange && session.person.mustChangePassword ? .passwordChangeRequired(session) : .valid(session)
    }

    /// Extends the session of a token and gives the same token back; see ``SessionIssuer``.
    public func refresh(_ token: String) async throws -> SessionCredential? {
        // A dead token costs a read and no write.
        guard case .valid = try await authenticate(token) else { return nil }
        let digest = SHA256.digest(token)
        // A use noted and not yet written may be all that keeps the session alive.
        for use in [leftUses.pending(digest), cache.pending(digest)] {
            if let use { try await write([(digest, use)]) }
        }
        let hash = digest.bytes
        let now = now()
        let slid = now + lifetime.sliding
        let extended = try await database.write { connection in
            try connection.first(SessionStatements.refresh, now, slid, hash, now)
        }
        guard let extended else { return nil }
        cache.extend(digest, to: extended.expires)
        return SessionCredential(token: Secret(token), session: extended.session, person: extended.person)
    }

    /// Ends the session of a token; see ``SessionIssuer``.
    public func end(_ token: String) async throws -> EndedSession? {
        guard try await authenticate(token).session != nil else { return nil }
        let digest = SHA256.digest(token)
        let hash = digest.bytes
        let now = now()
        let ended = try await database.write { connection in
            try connection.first(
                SessionStatements.endByToken, now, SessionEndReason.signedOut.rawValue, hash)
        }
        cache.remove(digest)
        // Those that were made from it ended with it.
        if let ended, ended.hadChildren { cache.remove(person: ended.ended.person) }
        return ended?.ended
    }

    /// Forgets a person's sessions; see ``SessionIssuer``.
    public func forget(person: UUID) {
        cache.remove(person: person)
    }

    /// Forgets all sessions; see ``SessionIssuer``.
    public func forgetEverything() {
        cache.removeAll()
    }
}

extension StatefulSessionIssuer {
    /// Writes the uses noted since the last time, in transactions of at most 500; what fails stays noted.
    public func flush() async throws {
        // First those that left memory: a session that is back there was alive by them.
        let left = leftUses.noted()
        try await write(left)
        leftUses.written(left)
        for part in 0..<SessionCache.partCount {
            let noted = cache.noted(inPart: part)
            try await write(noted)
            cache.written(noted, inPart: part)
        }
    }

    private func write(_ noted: [LastUses.Noted]) async throws {
        for start in stride(from: 0, to: noted.count, by: 500) {
            let some = Array(noted[start..<min(start + 500, noted.count)])
            let sliding = lifetime.sliding
            let expiries = try await database.write { connection in
                try some.map { digest, use in
                    try connection.first(
                        SessionStatements.refresh, use.last, use.last + sliding, digest.bytes, use.first)?.expires
                }
            }
            for ((digest, _), expires) in zip(some, expiries) {
                if let expires { cache.extend(digest, to: expires) }
            }
        }
    }

    private func authenticateFromDatabase(_ digest: SHA256Digest, _ now: Date) async throws -> Authentication {
        let ticket = cache.ticket(for: digest)
        let hash = digest.bytes
        guard let stored = try await database.read({ try $0.first(SessionStatements.find, hash) }) else {
            return .unrecognized
        }
        var livesUntil = stored.expires
        var lastUsed = stored.lastUsed
        if let use = leftUses.pending(digest), use.first < stored.expires {
            livesUntil = max(livesUntil, min(use.last + lifetime.sliding, stored.cap))
            lastUsed = max(lastUsed, use.last)
        }
        let answer = stored.authentication(at: now, livingUntil: livesUntil)
        guard case .valid(let session) = answer else { return answer }
        let isNoted = now.timeIntervalSince(lastUsed) >= LastUses.interval
        if isNoted {
            livesUntil = max(livesUntil, min(now + lifetime.sliding, stored.cap))
            lastUsed = now
        }
        cache.insert(
            digest, session, lastUsed: lastUsed, livesUntil: livesUntil, notedUse: isNoted, ticket: ticket)
        return authentication(session)
    }
}
