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

    /// Ends a session at the request of its person. If that is not the session of the request, it also ends the
    /// sessions of clients and devices that were allowed in it, because a thief of its token may have allowed them.
    ///
    /// - Parameters:
    ///   - session: The session to end.
    ///   - asking: The session that makes the request.
    /// - Returns: The number of sessions that ended; zero if the session was not live any more.
    /// - Throws: The error of ``requireMayEnd(_:asking:)``; `DatabaseError`.
    package func end(_ session: OwnSession, asking: Session) async throws -> Int {
        let (now, person, reason) = (now(), asking.person.id, SessionEndReason.signedOut)
        try requireMayEnd(session, asking: asking)
        let ended = try await database.write { connection -> [SessionID] in
            let count = try connection.run(
                SessionStatements.endOfPerson, now, reason.rawValue, session.id.rawValue, person, now)
            guard count > 0 else { return [] }
            guard session.id != asking.id else { return [session.id] }
            return try [session.id] + Self.endAllowed(in: session.id, of: person, reason, at: now, connection)
        }
        for id in ended {
            recordEnd(
                of: person, AuditEvent(.signedOut, reason: "from-another", person: person, actor: person, session: id))
        }
        return ended.count
    }

    /// Ends the sessions of clients and devices that were allowed in a session of a person.
    ///
    /// - Returns: The sessions that ended, without those that were created from them.
    static func endAllowed(
        in session: SessionID, of person: UUID, _ reason: SessionEndReason, at now: Date, _ connection: Connection
    ) throws(DatabaseError) -> [SessionID] {
        try connection.all(SessionStatements.endAllowed, now, reason.rawValue, person, session.rawValue)
    }

    /// Throws unless a session may end or lock another session of its person. Without a recent sign-in these are only
    /// itself, those that were created from it, those that were allowed in it, and those that began before it.
    /// Otherwise a stolen session could end each new session of the person before the person can end the stolen one.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a message for the person.
    package func requireMayEnd(_ session: OwnSession, asking: Session) throws(GatewayError) {
        guard ![session.id, session.parent, session.allowedIn].contains(asking.id),
            session.created >= asking.endsSessionsBefore
        else { return }
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
