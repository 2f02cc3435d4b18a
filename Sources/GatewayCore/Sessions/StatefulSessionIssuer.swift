package import Crypto
package import Database
package import FoundationEssentials

/// An issuer that stores sessions in the database and finds them by the hash of their token. An opaque token has 256
/// random bits.
///
/// An opaque token is 43 characters of base64url. Only the SHA-256 of a token is stored, and it is on disk before the
/// token is returned. Every use extends the session by the sliding lifetime, up to its cap. A refresh extends it
/// immediately and returns the same token. The tokens of sessions that are ended in this process are refused
/// immediately.
///
/// A token of another format is also found by its SHA-256. Its signature is not verified here, because nobody can make
/// another text with a stored hash.
///
/// Source: OX-1, OX-6; docs/protocols/onyx.md, Session tokens; RFC 6819 §5.1.4.1.3 and §5.1.5.
package final class StatefulSessionIssuer: SessionIssuer {
    private let database: Database
    private let lifetime: SessionLifetime
    private let now: @Sendable () -> Date
    private let cache: SessionCache
    private let lease: CacheLease
    private let evictedUses = UnwrittenUses()
    private let audit: AuditLog?
    private let enforcesPasswordChange: Bool

    /// Creates an issuer on a database with the gateway's tables.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - lifetime: How long sessions live, and how many a person may have.
    ///   - enforcesPasswordChange: Whether a person who must change their password can do nothing else before.
    ///   - audit: The log that records sessions that were ended because a person had too many.
    ///   - cacheCapacity: The maximum number of sessions in memory.
    ///   - lease: Whether sessions in memory may be used.
    ///   - now: Returns the current time.
    package init(
        database: Database, lifetime: SessionLifetime, enforcesPasswordChange: Bool = true, audit: AuditLog? = nil,
        cacheCapacity: Int = 196_608, lease: CacheLease = CacheLease(), now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.lifetime = lifetime
        self.enforcesPasswordChange = enforcesPasswordChange
        self.audit = audit
        self.now = now
        self.lease = lease
        cache = SessionCache(lifetime: lifetime, capacity: cacheCapacity, evictedUses: evictedUses)
    }

    /// The number of sessions in memory.
    package var cachedCount: Int { cache.count }

    /// Starts a session; see ``SessionIssuer``.
    package func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential {
        let id = SessionID.random()
        let now = now()
        let cap: Date
        let expires: Date
        let token: Secret
        var expiresIn: Duration?
        let proof = RequestProof.current
        switch shape {
        case .opaque, .renewable:
            cap = now + lifetime.maximum
            expires = min(now + lifetime.sliding, cap)
            token = Secret(Base64URL.encode(SecureRandom.bytes(32)))
        case .custom(let lifetime, let make):
            // The times in such a token are in whole seconds.
            let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            let bounded = min(lifetime, self.lifetime.maximum)
            cap = created + bounded
            expiresIn = bounded
            expires = cap
            token = try make(
                SessionProperties(
                    id: id, person: person, created: created, expires: expires, keyThumbprint: proof?.thumbprint))
        }
        let hash = SHA256.digest(token).bytes
        let maximum = max(1, lifetime.maximumPerPerson)
        guard try await RequestProof.recordCurrent(of: person.id) else {
            throw GatewayError(.signedOut, "The proof of possession was used before.")
        }
        let displaced = try await database.write { connection -> [SessionID]? in
            // `authenticated` is limited to now: with a clock that is ahead, the sign-in would be recent for too long.
            let inserted = try connection.run(
                SessionStatements.insert, id.rawValue, hash, now, now, expires, cap, device.name, device.kind,
                device.address, min(authenticated ?? now, now), id.uuid, person.id, person.sessionEpoch)
            guard inserted == 1 else { return nil }
            if let proof { try connection.run(SessionStatements.bind, proof.thumbprint, id.rawValue) }
            return try SessionBounds.apply(
                maximum, keeping: asking?.rawValue, client: nil, person.id, at: now, connection)
        }
        guard let displaced else {
            throw GatewayError(.unknownPerson, "The person has just been disabled or removed, or has a new password.")
        }
        // The cache finds sessions by token or person, and only the ids of the ended sessions are known here.
        if !displaced.isEmpty { cache.remove(person: person.id) }
        for session in displaced {
            audit?.record(AuditEvent(.revoked, reason: "too-many-sessions", person: person.id, session: session))
        }
        return SessionCredential(
            token: token, expiresIn: expiresIn, session: id, person: person.id, keyThumbprint: proof?.thumbprint)
    }

    /// The maximum length of a token, in bytes. Longer ones are refused without a lookup.
    private static let maximumTokenCount = 4_096
    /// The minimum length of a token that is not opaque, in bytes.
    private static let minimumCustomCount = 100
    /// The length of an opaque token.
    private static let opaqueCount = 43

    /// Whether a text can be a token without content (``TokenFormat/opaque``).
    static func isOpaque(_ token: String) -> Bool { token.utf8.count == opaqueCount }

    /// Returns the session that a token belongs to; see ``SessionIssuer``.
    package func authenticate(_ token: String) async throws -> Authentication {
        switch find(token) {
        case .found(let authentication): authentication
        case .elsewhere(let read): try await read()
        }
    }

    /// Returns the session that a token belongs to, when it is in memory; see ``SessionIssuer``.
    package func cachedAuthentication(_ token: String) -> Authentication? {
        guard Self.isOpaque(token) else { return .unrecognized }
        return cachedAuthentication(SHA256.digest(token))
    }

    /// Searches memory for the session of a token; see ``SessionIssuer``.
    package func find(_ token: String) -> TokenSearch {
        guard Self.isOpaque(token) else { return .found(.unrecognized) }
        return find(SHA256.digest(token))
    }

    /// Searches memory for the session of a token that may have content; see ``SessionIssuer``.
    package func findSigned(_ token: String) -> TokenSearch {
        guard Self.isPossible(token) else { return .found(.unrecognized) }
        return find(SHA256.digest(token))
    }

    /// Searches memory for the session with the hash of a token.
    func find(_ digest: SHA256Digest) -> TokenSearch {
        cachedAuthentication(digest).map(TokenSearch.found)
            ?? .elsewhere { try await self.authenticateFromDatabase(digest, self.now()) }
    }

    private static func isPossible(_ token: String) -> Bool {
        let count = token.utf8.count
        return count == opaqueCount || (minimumCustomCount...maximumTokenCount).contains(count)
    }

    private func cachedAuthentication(_ digest: SHA256Digest) -> Authentication? {
        lease.isValid ? cache.use(digest, at: now()).map(validAuthentication) : nil
    }

    /// Returns the result for a live session.
    private func validAuthentication(_ session: Session) -> Authentication {
        enforcesPasswordChange && session.person.mustChangePassword ? .passwordChangeRequired(session) : .valid(session)
    }

    /// Extends the session of a token and returns the same token; see ``SessionIssuer``.
    package func refresh(_ token: String) async throws -> SessionCredential? {
        // An invalid token costs a read but no write.
        guard case .valid(let session) = try await authenticate(token) else { return nil }
        let digest = SHA256.digest(token)
        // The session may be live only because of a use that is not yet written.
        for use in [evictedUses.pending(digest), cache.pending(digest)] {
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
        return SessionCredential(
            token: Secret(token), session: extended.session, person: extended.person,
            keyThumbprint: session.keyThumbprint)
    }

    /// Ends the session of a token; see ``SessionIssuer``.
    package func end(_ token: String) async throws -> EndedSession? {
        switch try await authenticateSigned(token) {
        // Who has a token may end its session, even without the key that the token is bound to.
        case .valid, .passwordChangeRequired, .proofRequired: break
        case .expired, .terminated, .unrecognized: return nil
        }
        let digest = SHA256.digest(token)
        let hash = digest.bytes
        let now = now()
        let ended = try await database.write { connection in
            try connection.first(
                SessionStatements.endByToken, now, SessionEndReason.signedOut.rawValue, hash)
        }
        // After the commit: before it, a concurrent request could cache the live session again.
        cache.remove(digest)
        // The sessions that were created from it ended with it.
        if let ended, ended.hadChildren { cache.remove(person: ended.ended.person) }
        return ended?.ended
    }

    /// Removes a session from memory; see ``SessionIssuer``.
    package func invalidate(session: SHA256Digest) {
        cache.remove(session)
    }

    /// Removes a person's sessions from memory; see ``SessionIssuer``.
    package func invalidate(person: UUID) {
        cache.remove(person: person)
    }

    /// Removes all sessions from memory; see ``SessionIssuer``.
    package func invalidateAll() {
        cache.removeAll()
    }

    /// Sets the action that is called when sessions may have ended; see ``SessionIssuer``.
    package func onSessionsChanged(_ action: @escaping @Sendable () -> Void) {
        cache.onRemoval(action)
    }
}

extension StatefulSessionIssuer {
    /// Writes the uses that were recorded since the last call, in transactions of at most 500. Uses that cannot be
    /// written are kept for the next call.
    package func flush() async throws {
        // The uses of evicted sessions come first: a session that is cached again may be live only because of them.
        try await database.forEachBatch(of: evictedUses.pending()) { uses in
            try await write(uses)
            evictedUses.written(uses)
        }
        try await database.forEachBatch(of: cache.unwrittenUses) { uses in
            try await write(uses)
            cache.written(uses)
        }
    }

    private func write(_ uses: [UnwrittenUses.UnwrittenUse]) async throws {
        let sliding = lifetime.sliding
        let expiries = try await database.write { connection in
            try connection.firsts(
                SessionStatements.refresh,
                uses.map { digest, use in (use.last, use.last + sliding, digest.bytes, use.first) })
        }
        for ((digest, _), extended) in zip(uses, expiries) {
            if let extended { cache.extend(digest, to: extended.expires) }
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
        // A use after the stored expiry extends nothing, because the session was already over.
        if let use = evictedUses.pending(digest), use.first < stored.expires {
            livesUntil = max(livesUntil, min(use.last + lifetime.sliding, stored.cap))
            lastUsed = max(lastUsed, use.last)
        }
        let authentication = stored.authentication(at: now, livingUntil: livesUntil)
        guard case .valid(let session) = authentication else { return authentication }
        let hasUnwrittenUse = now.timeIntervalSince(lastUsed) >= UnwrittenUses.interval
        if hasUnwrittenUse {
            livesUntil = max(livesUntil, min(now + lifetime.sliding, stored.cap))
            lastUsed = now
        }
        if let thumbprint = session.keyThumbprint {
            // Not cached, so that a token without its proof is never found in memory, and its use does not extend it.
            guard try await RequestProof.admits(digest, of: session.person.id, boundTo: thumbprint) else {
                return .proofRequired(session)
            }
            if hasUnwrittenUse { evictedUses.record(digest, UnwrittenUses.Use(first: now, last: now)) }
            return validAuthentication(session)
        }
        cache.insert(
            digest, session, lastUsed: lastUsed, livesUntil: livesUntil, hasUnwrittenUse: hasUnwrittenUse,
            ticket: ticket)
        return validAuthentication(session)
    }
}
