import Database
package import FoundationEssentials

/// A person's own sessions, and pages of all sessions.
extension SessionAdministration {
    /// Returns the live sessions of a person, the most recently used first.
    package func live(of person: UUID) async throws -> [SessionSummary] {
        let now = now()
        return try await database.read { try $0.all(SessionStatements.liveOfPerson, person, now) }
    }

    /// Returns at most `limit` live sessions of all people, the newest first, below a position. Nil starts with the
    /// newest session.
    package func livePage(before position: Int?, limit: Int) async throws -> [SessionSummary] {
        let now = now()
        return try await database.read { try $0.all(SessionStatements.livePage, position ?? Int.max, now, limit) }
    }

    /// Ends a session at the request of its person.
    ///
    /// - Returns: Whether the person had such a live session.
    package func end(_ session: SessionID, of person: UUID) async throws -> Bool {
        let now = now()
        let count = try await database.write { connection in
            try connection.run(
                SessionStatements.endOfPerson, now, SessionEndReason.signedOut.rawValue, session.rawValue, person, now)
        }
        guard count > 0 else { return false }
        recordEnd(
            of: person, AuditEvent(.signedOut, reason: "from-another", person: person, actor: person, session: session))
        return true
    }

    /// Signs a person out everywhere else: ends every session but one, including sign-ins in progress, and revokes the
    /// person's API keys.
    package func endOthers(than session: SessionID, of person: UUID) async throws {
        let now = now()
        try await database.write { connection in
            try connection.run(SessionStatements.bumpEpoch, now, person)
            try connection.run(
                SessionStatements.endOthers, now, SessionEndReason.signedOut.rawValue, person, session.rawValue)
            try connection.run(APIKeyStatements.revokeAll, now, person)
        }
        recordEnd(of: person, AuditEvent(.signedOut, reason: "all-others", person: person, actor: person))
    }
}
