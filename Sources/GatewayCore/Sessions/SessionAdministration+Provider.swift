import Crypto
import Database
import FoundationEssentials
package import OpenIDConnect

/// Sessions that were started through an identity provider, and sign-outs there.
extension SessionAdministration {
    /// The maximum number of stored sign-outs of one provider, each of which is up to two rows. When there are more, the
    /// oldest of this provider are deleted. Only tokens that a provider signed are stored, so no other sender can displace
    /// them.
    static let rememberedSignOuts = 50_000
    /// How long the end of a session at a provider is stored: longer than a sign-in here can take, and longer than
    /// providers let an access token live.
    private static let sessionMemory = Duration.seconds(30 * 86_400)

    /// Stores the provider that a session was started through, the id of the session there if the provider sent one,
    /// and how the person authenticated there.
    ///
    /// - Throws: ``GatewayError/Code/sessionEnded`` when the browser's session, or ``GatewayError/Code/unknownPerson`` when
    ///   the session at the provider has just ended. The new session is then ended too.
    package func record(
        provider: String, _ session: String?, _ methods: AuthenticationMethods = AuthenticationMethods(reported: []),
        of id: SessionID
    ) async throws {
        let now = now()
        let isOver = try await database.write { connection in
            try Self.record(provider, session, methods, of: id, at: now, connection)
        }
        if isOver { throw Self.signedOutAtProvider }
    }

    private static let signedOutAtProvider = GatewayError(
        .unknownPerson, "The person has just signed out at the identity provider.")

    /// Does the same inside a write transaction. Returns whether the session at the provider has ended.
    private static func record(
        _ provider: String, _ session: String?, _ methods: AuthenticationMethods, of id: SessionID, at now: Date,
        _ connection: Connection
    ) throws(DatabaseError) -> Bool {
        try connection.run(ProviderSessionStatements.record, provider, session, methods.text, id.rawValue)
        guard let session,
            try connection.first(ProviderSessionStatements.isSignedOut, sessionKey(session, provider), now) == true
        else { return false }
        try connection.run(SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, id.rawValue, now)
        return true
    }

    /// Stores that a session was started from a browser's session. It ends no later than the browser's could. If the
    /// browser signed in through a provider, the new session has the same methods of authentication, and the provider also
    /// ends it. Otherwise the method is a password, as of every session.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the session at the provider has just ended. The new session
    ///   is then ended too.
    package func record(browser: SessionID, of id: SessionID) async throws {
        let now = now()
        let error = try await database.write { connection -> GatewayError? in
            guard try connection.run(ProviderSessionStatements.bound, id.rawValue, browser.rawValue) == 1 else {
                try connection.run(SessionStatements.endByID, now, SessionEndReason.revoked.rawValue, id.rawValue, now)
                return GatewayError(.sessionEnded, "The session in which the device was allowed has just ended.")
            }
            let found = try connection.first(ProviderSessionStatements.providerSession, browser.rawValue)
            guard let found, let provider = found.provider else { return nil }
            let isOver = try Self.record(provider, found.session, found.methods, of: id, at: now, connection)
            return isOver ? Self.signedOutAtProvider : nil
        }
        if let error { throw error }
    }

    /// Whether the provider has reported the end of one of its sessions.
    package func isSignedOut(_ session: String, at provider: String) async throws -> Bool {
        let now = now()
        return try await database.read {
            try $0.first(ProviderSessionStatements.isSignedOut, Self.sessionKey(session, provider), now) ?? false
        }
    }

    /// Returns the provider that a session was started through; nil when it is unknown.
    package func provider(of session: SessionID) async throws -> String? {
        try await database.read { try $0.first(ProviderSessionStatements.provider, session.rawValue) ?? nil }
    }

    /// Processes a logout token in one write: ends the sessions that belong to the session at the provider that the
    /// token names. If it names none, or one that is unknown here, the person is signed out everywhere and the person's
    /// keys are revoked.
    ///
    /// A processed token is stored in the database until it expires, so that a replay does not end sessions that the
    /// person has started since then.
    ///
    /// - Returns: Whether the token was processed now; false for a replay.
    ///
    /// Source: OpenID Connect Back-Channel Logout 1.0 §2.4, on `sid`, and §2.6, on `jti`.
    @discardableResult
    package func signOut(
        by token: LogoutToken, at provider: String, remembering capacity: Int = rememberedSignOuts
    ) async throws -> Bool {
        let now = now()
        let done = try await database.write { connection throws(DatabaseError) -> ProviderSignOut? in
            // First, because an expired record with the same key would prevent the insertion of a new one.
            // Another gateway, whose clock is late, may still accept a token that has expired here.
            try connection.run(ProviderSessionStatements.deleteExpired, now - ClockDifference.tolerated)
            let number = try connection.first(ProviderSessionStatements.nextNumber, provider) ?? 1
            guard
                try connection.run(
                    ProviderSessionStatements.remember, Self.key(token, provider), token.expires, provider, number) == 1
            else { return nil }
            try connection.run(ProviderSessionStatements.deleteOldest, provider, number - capacity)
            return try Self.end(by: token, at: provider, number, now, connection)
        }
        guard let done else { return false }
        for person in done.people {
            recordEnd(
                of: person,
                AuditEvent(
                    .revoked,
                    reason: done.isEverywhere ? "signed-out-at-provider-everywhere" : "signed-out-at-provider",
                    provider: provider, person: person))
        }
        return true
    }

    private struct ProviderSignOut: Sendable {
        var people: Set<UUID> = []
        var isEverywhere = false
    }

    private static func end(
        by token: LogoutToken, at provider: String, _ number: Int, _ now: Date, _ connection: Connection
    ) throws(DatabaseError) -> ProviderSignOut {
        if let session = token.sessionID {
            // A sign-in with this session may be in progress, and an access token with it may still be valid.
            try connection.run(
                ProviderSessionStatements.remember, sessionKey(session, provider), now + sessionMemory, provider,
                number)
            let isKnown = try connection.first(ProviderSessionStatements.isKnown, provider, session) == true
            if isKnown || token.subject == nil {
                let people = try connection.all(
                    ProviderSessionStatements.end, now, SessionEndReason.revoked.rawValue, provider, session)
                return ProviderSignOut(people: Set(people))
            }
        }
        guard let subject = token.subject,
            let person = try connection.first(IdentityStatements.person, provider, token.issuer, subject)
        else { return ProviderSignOut() }
        _ = try revokeAll(of: person.id, at: now, connection)
        return ProviderSignOut(people: [person.id], isEverywhere: true)
    }

    /// Returns a hash, because a provider may send ids of any length.
    private static func key(_ token: LogoutToken, _ provider: String) -> [UInt8] {
        SHA256.digest("token\n\(provider)\n\(token.id)").bytes
    }

    private static func sessionKey(_ session: String, _ provider: String) -> [UInt8] {
        SHA256.digest("session\n\(provider)\n\(session)").bytes
    }
}

/// SQL statements for sessions that were started through a provider.
enum ProviderSessionStatements {
    static let record = Statement(
        "UPDATE sessions SET provider = ?, provider_session = ?, methods = ? WHERE id = ?", String.self, String?.self,
        String.self, String.self)

    /// Stores in which session another one was allowed, and lets it end no later than that one could. That one is live,
    /// or was displaced by the new one.
    static let bound = Statement(
        """
        UPDATE sessions SET cap_at = min(sessions.cap_at, b.cap_at), expires_at = min(sessions.expires_at, b.cap_at),
            allowed_in = b.id
        FROM sessions b WHERE sessions.id = ?1 AND b.id = ?2
            AND (b.ended_at IS NULL OR b.end_reason = '\(SessionEndReason.tooManySessions.rawValue)')
        """, String.self, String.self)

    static let provider = Statement("SELECT provider FROM sessions WHERE id = ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as String?
    }

    static let providerSession = Statement(
        "SELECT provider, provider_session, \(SessionStatements.methods(of: "s")) FROM sessions s WHERE id = ?",
        String.self
    ) { row throws(DatabaseError) in
        (
            provider: try row.get(0) as String?, session: try row.get(1) as String?,
            methods: AuthenticationMethods(stored: try row.get(2))
        )
    }

    static let isKnown = Statement(
        "SELECT EXISTS (SELECT 1 FROM sessions WHERE provider = ? AND provider_session = ?)", String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let end = Statement(
        """
        UPDATE sessions SET ended_at = ?, end_reason = ? WHERE provider = ? AND provider_session = ? AND ended_at IS NULL
        RETURNING person_id
        """, Date.self, String.self, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    static let remember = Statement(
        """
        INSERT INTO provider_sign_outs (id, expires_at, provider, number) VALUES (?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING
        """, [UInt8].self, Date.self, String.self, Int.self)

    static let nextNumber = Statement(
        "SELECT coalesce(max(number), 0) + 1 FROM provider_sign_outs WHERE provider = ?", String.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let isSignedOut = Statement(
        "SELECT EXISTS (SELECT 1 FROM provider_sign_outs WHERE id = ? AND expires_at > ?)", [UInt8].self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let deleteExpired = Statement("DELETE FROM provider_sign_outs WHERE expires_at <= ?", Date.self)

    /// Deletes the sign-outs of a provider up to a number. Those of other providers stay.
    static let deleteOldest = Statement(
        "DELETE FROM provider_sign_outs WHERE provider = ? AND number <= ?", String.self, Int.self)
}
