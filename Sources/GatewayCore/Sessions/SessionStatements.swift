import Database
import FoundationEssentials

/// SQL statements for sessions.
enum SessionStatements {
    /// Inserts a session, unless the person's sessions were ended since the person was read.
    static let insert = Statement(
        """
        INSERT INTO sessions
            (id, token_hash, person_id, created_at, last_used_at, expires_at, cap_at, device_name, device_kind,
            device_address, authenticated_at, uuid)
        SELECT ?, ?, id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM people WHERE id = ? AND session_epoch = ? AND disabled_at IS NULL
        """, String.self, [UInt8].self, Date.self, Date.self, Date.self, Date.self, String?.self, String?.self,
        String?.self, Date.self, UUID.self, UUID.self, Int.self)

    /// Binds the tokens of a session to a key.
    static let bind = Statement(
        "UPDATE sessions SET key_thumbprint = ? WHERE id = ?", String.self, String.self)

    /// An SQL expression for the latest end of a session: its cap, or the expiry of the session that it was created
    /// from if that is earlier. It is computed on every read and not stored, because the uses of the two sessions are
    /// written in any order. If the parent was deleted, the session is over.
    private static let bound = """
        CASE WHEN s.parent_id IS NULL THEN s.cap_at ELSE min(s.cap_at, coalesce(
            (SELECT o.expires_at FROM sessions o WHERE o.id = s.parent_id), 0)) END
        """

    /// The columns that ``StoredSession`` reads, of the session `s` and its person `p`.
    static let storedColumns = """
        s.id, s.created_at, s.last_used_at, min(s.expires_at, \(bound)), \(bound), s.ended_at, p.id, p.email, p.name,
            p.is_admin, p.is_verified, p.created_at, p.disabled_at, p.session_epoch, p.must_change_password, p.avatar_color,
            p.is_vouched,
            (SELECT group_concat(i.groups, '\n') FROM identities i WHERE i.person_id = s.person_id AND i.groups <> ''),
            coalesce(s.authenticated_at, s.created_at), \(methods(of: "s")), s.key_thumbprint, s.parent_id
        """

    /// An SQL expression for how the person of a session authenticated.
    static func methods(of session: String) -> String {
        "coalesce(\(session).methods, CASE WHEN \(session).provider IS NULL THEN 'pwd' ELSE '' END)"
    }

    static let find = Statement(
        """
        SELECT \(storedColumns) FROM sessions s LEFT JOIN people p ON p.id = s.person_id WHERE s.token_hash = ?
        """, [UInt8].self, row: StoredSession.init)

    /// Selects whether the person of a live session is an administrator. Selects nothing if the session has ended, was
    /// over at a time, or its person is disabled.
    static let isAdministrator = Statement(
        """
        SELECT p.is_admin FROM sessions s JOIN people p ON p.id = s.person_id
        WHERE s.id = ? AND s.ended_at IS NULL AND p.disabled_at IS NULL AND min(s.expires_at, \(bound)) > ?
        """, String.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    /// Extends a session. A single statement checks and updates, so that a concurrent refresh cannot extend an ended
    /// session.
    static let refresh = Statement(
        """
        UPDATE sessions SET last_used_at = max(last_used_at, ?), expires_at = max(expires_at, min(?, cap_at))
        WHERE token_hash = ? AND ended_at IS NULL AND expires_at > ?
            AND EXISTS (SELECT 1 FROM people WHERE id = person_id AND disabled_at IS NULL)
        RETURNING id, person_id, expires_at
        """, Date.self, Date.self, [UInt8].self, Date.self
    ) { row throws(DatabaseError) in
        ExtendedSession(
            session: SessionID(rawValue: try row.get(0)), person: try row.get(1), expires: try row.get(2))
    }

    /// Records the use of a session and when it expires, which may be earlier than before.
    static let extend = Statement(
        "UPDATE sessions SET last_used_at = max(last_used_at, ?), expires_at = min(?, cap_at) WHERE id = ?", Date.self,
        Date.self, String.self)

    static let endByToken = Statement(
        """
        UPDATE sessions SET ended_at = ?, end_reason = ? WHERE token_hash = ? AND ended_at IS NULL
        RETURNING id, person_id, EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = sessions.id)
        """, Date.self, String.self, [UInt8].self
    ) { row throws(DatabaseError) in
        (
            ended: EndedSession(session: SessionID(rawValue: try row.get(0)), person: try row.get(1)),
            hadChildren: try row.get(2) as Bool
        )
    }

    static let endByID = Statement(
        """
        UPDATE sessions SET ended_at = ?, end_reason = ? WHERE id = ? AND ended_at IS NULL AND expires_at > ?
        RETURNING person_id
        """, Date.self, String.self, String.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    static let endAll = Statement(
        "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE person_id = ? AND ended_at IS NULL",
        Date.self, String.self, UUID.self)

    static let bumpEpoch = Statement(
        "UPDATE people SET \(PeopleStatements.signingOut(at: "?")) WHERE id = ?", Date.self, UUID.self)

    /// The columns that ``SessionSummary`` reads.
    static let summaryColumns = """
        s.id, s.person_id, p.email, s.device_name, s.device_kind, s.created_at, s.last_used_at, s.expires_at, s.ended_at,
            s.end_reason, s.device_address, s.rowid
        """

    static let list = Statement(
        """
        SELECT \(summaryColumns)
        FROM sessions s LEFT JOIN people p ON p.id = s.person_id ORDER BY s.created_at, s.id
        """, row: SessionSummary.init)

    static let liveOfPerson = Statement(
        """
        SELECT \(summaryColumns)
        FROM sessions s LEFT JOIN people p ON p.id = s.person_id
        WHERE s.person_id = ? AND s.ended_at IS NULL AND s.expires_at > ?
        ORDER BY s.last_used_at DESC, s.id
        """, UUID.self, Date.self, row: SessionSummary.init)

    /// Selects live sessions below a position, the newest first.
    static let livePage = Statement(
        """
        SELECT \(summaryColumns)
        FROM sessions s LEFT JOIN people p ON p.id = s.person_id
        WHERE s.rowid < ? AND s.ended_at IS NULL AND s.expires_at > ? ORDER BY s.rowid DESC LIMIT ?
        """, Int.self, Date.self, Int.self, row: SessionSummary.init)

    static let endOfPerson = Statement(
        """
        UPDATE sessions SET ended_at = ?, end_reason = ?
        WHERE id = ? AND person_id = ? AND ended_at IS NULL AND expires_at > ?
        """, Date.self, String.self, String.self, UUID.self, Date.self)

    /// Ends the sessions of clients and devices that were allowed in a session of a person.
    static let endAllowed = Statement(
        """
        UPDATE sessions SET ended_at = ?1, end_reason = ?2
        WHERE person_id = ?3 AND ended_at IS NULL AND allowed_in = ?4
        RETURNING id
        """, Date.self, String.self, UUID.self, String.self
    ) { row throws(DatabaseError) in SessionID(rawValue: try row.get(0)) }

    static let endOthers = Statement(
        "UPDATE sessions SET ended_at = ?, end_reason = ? WHERE person_id = ? AND id <> ? AND ended_at IS NULL",
        Date.self, String.self, UUID.self, String.self)

    /// Selects the live ones of the sessions in a JSON array.
    static let live = Statement(
        """
        SELECT \(PeopleStatements.columns), session, ends_at FROM people JOIN (
            SELECT s.id AS session, s.person_id AS owner, min(s.expires_at, \(bound)) AS ends_at
            FROM json_each(?1) j JOIN sessions s ON s.id = j.value WHERE s.ended_at IS NULL
        ) live ON owner = id WHERE ends_at > ?2
        """, String.self, Date.self
    ) { row throws(DatabaseError) in
        let count = PeopleStatements.columnCount
        return (
            SessionID(rawValue: try row.get(count)),
            LiveSession(person: try PeopleStatements.person(row), expires: try row.get(count + 1))
        )
    }

    static let countLive = Statement(
        "SELECT count(*) FROM sessions WHERE ended_at IS NULL AND expires_at > ?", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    /// Ends sessions whose parent has expired.
    static let endOrphans = Statement(
        """
        UPDATE sessions SET ended_at = ?1, end_reason = ?2
        WHERE parent_id IS NOT NULL AND ended_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM sessions o WHERE o.id = sessions.parent_id AND o.expires_at > ?3)
        """, Date.self, String.self, Date.self)

    static let purgeEnded = Statement(
        "DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE ended_at < ? LIMIT 500)", Date.self)

    static let purgeExpired = Statement(
        """
        DELETE FROM sessions WHERE rowid IN
            (SELECT rowid FROM sessions WHERE ended_at IS NULL AND expires_at < ? LIMIT 500)
        """, Date.self)
}

/// A session that was just extended.
struct ExtendedSession: Sendable {
    let session: SessionID
    let person: UUID
    let expires: Date
}
