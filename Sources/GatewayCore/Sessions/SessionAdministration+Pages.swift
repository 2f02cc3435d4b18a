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
    /// - Parameters:
    ///   - session: The session to end.
    ///   - asking: The session that makes the request.
    /// - Returns: Whether the session was still live.
    /// - Throws: The error of ``requireMayEnd(_:asking:)``; `DatabaseError`.
    package func end(_ session: OwnSession, asking: Session) async throws -> Bool {
        let (now, person) = (now(), asking.person.id)
        try requireMayEnd(session, asking: asking)
        let count = try await database.write { connection in
            try connection.run(
                SessionStatements.endOfPerson, now, SessionEndReason.signedOut.rawValue, session.id.rawValue, person,
                now)
        }
        guard count > 0 else { return false }
        recordEnd(
            of: person,
            AuditEvent(.signedOut, reason: "from-another", person: person, actor: person, session: session.id))
        return true
    }

    /// Throws unless a session may end or lock another session of its person. Without a recent sign-in these are only
    /// itself, those that were created from it, and those that began before it. Otherwise a stolen session could end each
    /// new session of the person before the person can end the stolen one.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a message for the person.
    package func requireMayEnd(_ session: OwnSession, asking: Session) throws(GatewayError) {
        guard session.id != asking.id, session.parent != asking.id, session.created >= asking.created else { return }
        try SensitiveAction.endNewerSession.requireRecent(asking.authenticated, at: now())
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
