import Database
import FoundationEssentials

/// The bounds on the sessions of a person. Every new session of an app or a client passes through them, inside the
/// transaction that stores it.
enum SessionBounds {
    /// The maximum number of sessions that have ended, of ones that ended because their tokens were used by somebody
    /// else, and of ones that have expired, that stay stored for a person. The oldest beyond it are deleted. Each kind is
    /// counted apart, so that other sessions do not displace the warnings about stolen tokens.
    static let remembered = 200
    /// The time in which the new sessions of a client are counted.
    static let window = Duration.seconds(3_600)
    /// How many old sessions one new session deletes of each kind at most, so that a transaction stays short where
    /// many were stored before there was a maximum.
    private static let batch = 100

    /// Throws when a client has just started too many sessions of a person.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number in ``window``.
    ///   - client: The client.
    ///   - person: The person.
    ///   - now: The time.
    ///   - connection: The transaction.
    /// - Throws: ``GatewayError/Code/tooManySessions``; `DatabaseError`.
    static func admit(
        _ maximum: Int, client: String, _ person: UUID, at now: Date, _ connection: Connection
    ) throws {
        let recent = try connection.first(SessionBoundStatements.countRecent, person, now - window, client) ?? 0
        guard recent < maximum else {
            throw GatewayError(
                .tooManySessions, "The person has signed in to the client too often in the last hour; try again later.")
        }
    }

    /// Ends the live sessions that a person has too many, and deletes old ones beyond the maximum.
    ///
    /// - Parameters:
    ///   - maximum: The maximum number of live sessions.
    ///   - session: The session that stays in any case. Nil for none.
    ///   - client: The client whose session has just been stored. Nil for an app of this server.
    ///   - person: The person.
    ///   - now: The time.
    ///   - connection: The transaction.
    /// - Returns: The sessions that ended.
    /// - Throws: `DatabaseError`.
    static func apply(
        _ maximum: Int, keeping session: String?, client: String?, _ person: UUID, at now: Date,
        _ connection: Connection
    ) throws(DatabaseError) -> [SessionID] {
        let ended = try connection.all(
            SessionBoundStatements.endExcess, now, SessionEndReason.tooManySessions.rawValue, person, maximum, session,
            client)
        // Another gateway, whose clock is late, may still accept a session that has expired here.
        let expired = now - ClockDifference.tolerated
        try connection.run(SessionBoundStatements.deleteEnded, person, batch, remembered)
        try connection.run(SessionBoundStatements.deleteReused, person, batch, remembered)
        try connection.run(SessionBoundStatements.deleteExpired, person, expired, batch, remembered)
        return ended
    }
}

/// SQL statements for the bounds on the sessions of a person.
enum SessionBoundStatements {
    /// Ends a person's excess sessions: first sessions that were created from others, then those of the client whose
    /// session is new, then the oldest of the client, of the devices, or of the apps of this server, that has the most.
    /// Devices count apart, so that those of a stolen session end each other before the person's newer sessions. The session
    /// that makes the request is never ended.
    static let endExcess = Statement(
        """
        UPDATE sessions SET ended_at = ?1, end_reason = ?2 WHERE rowid IN (
            SELECT number FROM (
                SELECT s.rowid AS number, s.id AS session, s.parent_id AS parent, s.created_at AS created,
                    c.client_id AS client, row_number() OVER (
                        PARTITION BY coalesce(c.client_id, '\(ClientGrant.own.client)'),
                            coalesce(c.client_id, '\(ClientGrant.own.client)') = '\(ClientGrant.own.client)'
                                AND s.allowed_in IS NOT NULL
                        ORDER BY s.created_at DESC, s.rowid DESC) AS place
                FROM sessions s LEFT JOIN client_sessions c ON c.session_id = s.id
                WHERE s.person_id = ?3 AND s.ended_at IS NULL AND s.expires_at > ?1) live
            ORDER BY session IS NOT DISTINCT FROM ?5 DESC, parent IS NULL DESC, coalesce(client = ?6, FALSE), place,
                created DESC, number DESC
            LIMIT 1000000000 OFFSET ?4)
        RETURNING id
        """, Date.self, String.self, UUID.self, Int.self, String?.self, String?.self
    ) { row throws(DatabaseError) in SessionID(rawValue: try row.get(0)) }

    /// Counts the sessions of a client that a person has begun since a time, live or not. Each part reads one index.
    static let countRecent = Statement(
        """
        SELECT count(*) FROM (
            SELECT id FROM sessions WHERE person_id = ?1 AND ended_at IS NULL AND created_at > ?2
            UNION ALL SELECT id FROM sessions
            WHERE person_id = ?1 AND ended_at > ?2 AND end_reason <> 'token-reused' AND created_at > ?2
            UNION ALL SELECT id FROM sessions
            WHERE person_id = ?1 AND ended_at > ?2 AND end_reason = 'token-reused' AND created_at > ?2
        ) recent JOIN client_sessions c ON c.session_id = recent.id WHERE c.client_id = ?3
        """, UUID.self, Date.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let deleteEnded = Statement(
        """
        DELETE FROM sessions WHERE rowid IN (
            SELECT rowid FROM sessions WHERE person_id = ?1 AND ended_at IS NOT NULL AND end_reason <> 'token-reused'
            ORDER BY ended_at DESC LIMIT ?2 OFFSET ?3)
        """, UUID.self, Int.self, Int.self)

    static let deleteReused = Statement(
        """
        DELETE FROM sessions WHERE rowid IN (
            SELECT rowid FROM sessions WHERE person_id = ?1 AND end_reason = 'token-reused'
            ORDER BY ended_at DESC LIMIT ?2 OFFSET ?3)
        """, UUID.self, Int.self, Int.self)

    static let deleteExpired = Statement(
        """
        DELETE FROM sessions WHERE rowid IN (
            SELECT rowid FROM sessions WHERE person_id = ?1 AND ended_at IS NULL AND expires_at <= ?2
            ORDER BY expires_at DESC LIMIT ?3 OFFSET ?4)
        """, UUID.self, Date.self, Int.self, Int.self)
}
