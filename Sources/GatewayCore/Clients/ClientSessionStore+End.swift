import Crypto
package import Database
package import FoundationEssentials

extension ClientSessionStore {
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
        // A token without a live session of the client costs no write.
        let live = try await database.read { connection -> String? in
            let found =
                try refresh?.session.rawValue ?? connection.first(ClientSessionStatements.sessionOfAccess, hash)
            guard let found, let stored = try connection.first(ClientSessionStatements.find, found),
                ExactText(stored.grant.client) == ExactText(client), stored.isLive(at: now)
            else { return nil }
            return found
        }
        guard let id = live else { return nil }
        let person = try await database.write { connection in
            try connection.first(SessionStatements.endByID, now, SessionEndReason.signedOut.rawValue, id, now)
        }
        return person.map { EndedSession(session: SessionID(rawValue: id), person: $0) }
    }

    /// Whether a session of a client is live, and was allowed in a session of a browser.
    ///
    /// - Throws: `DatabaseError`.
    package func isLive(_ session: SessionID, from browser: SessionID) async throws -> Bool {
        let now = now()
        return try await database.read {
            try $0.first(ClientSessionStatements.isLive, session.rawValue, browser.rawValue, now) ?? false
        }
    }

    /// How long the repeated use of a code of a public client ends its session: everybody can send its `client_id`, and
    /// an old code may be in a log or a history.
    package static let publicCodeMemory = Duration.seconds(300)

    /// Ends the session that a code was exchanged for, because the client sent the code again.
    ///
    /// - Parameters:
    ///   - id: The id of the session, which is derived from the code.
    ///   - client: The client that sent the code, which must be the one that the code was for. A client without a secret
    ///     or keys can do this only within ``publicCodeMemory``.
    /// - Returns: The session. Nil when there is none, or when it does not end.
    /// - Throws: `DatabaseError`.
    ///
    /// Source: RFC 6749 §4.1.2 and §10.5.
    @discardableResult
    package func endSession(ofReusedCode id: SessionID, by client: RegisteredClient) async throws -> EndedSession? {
        let now = now()
        // Most requests with an unknown code end here, without a write.
        guard let stored = try await database.read({ try $0.first(ClientSessionStatements.find, id.rawValue) }),
            ExactText(stored.grant.client) == ExactText(client.id),
            client.isConfidential || now < stored.created + Self.publicCodeMemory
        else { return nil }
        return try await endSession(ofReusedCode: id, at: now)
    }

    /// Ends a session whose code was used twice. Returns nil when it is not live.
    func endSession(ofReusedCode id: SessionID, at now: Date) async throws -> EndedSession? {
        let person = try await database.write { connection in
            try connection.first(
                SessionStatements.endByID, now, SessionEndReason.tokenReused.rawValue, id.rawValue, now)
        }
        guard let person else { return nil }
        audit.record(AuditEvent(.revoked, reason: "code-reused", person: person, session: id))
        onSessionsEnded(person)
        return EndedSession(session: id, person: person)
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
