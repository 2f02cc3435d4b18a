import Crypto
import Database
import FoundationEssentials

/// The state of a client's session in the database.
struct StoredClientSession: Sendable {
    let person: UUID
    let expires: Date
    let cap: Date
    let isOver: Bool
    let grant: ClientGrant
    let generation: Int
    let refreshHash: [UInt8]
    let nextHash: [UInt8]?
    let nextAnswer: [UInt8]?
    let authenticated: Date
    let methods: AuthenticationMethods
    /// The key that the refresh tokens are bound to. Nil for none.
    let keyThumbprint: String?
    /// When the session began.
    let created: Date

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        person = try row.get(0)
        expires = try row.get(1)
        cap = try row.get(2)
        isOver = try row.get(3)
        grant = try ClientGrant(row, at: 4)
        generation = try row.count(7)
        refreshHash = try row.get(8)
        nextHash = try row.get(9)
        nextAnswer = try row.get(10)
        authenticated = try row.get(11)
        methods = AuthenticationMethods(stored: try row.get(12))
        keyThumbprint = try row.get(13)
        created = try row.get(14)
    }

    /// Whether the session has neither ended nor expired.
    func isLive(at now: Date) -> Bool { !isOver && now < expires }

    /// The state of the session's refresh tokens.
    var machine: RefreshTokenStateMachine {
        RefreshTokenStateMachine(generation: generation, hasSuccessor: nextHash != nil)
    }

    /// Returns which of the session's tokens a token is.
    func kind(of token: RefreshToken) -> RefreshTokenStateMachine.Token {
        let hash = token.hash
        if constantTimeEqual(hash, refreshHash) { return .current }
        if let nextHash, constantTimeEqual(hash, nextHash) { return .successor }
        return token.generation < generation ? .old : .unknown
    }
}

/// An access token in the database, with its session.
struct StoredAccessToken: Sendable {
    let session: StoredSession
    let grant: ClientGrant
    /// The number of the session's current refresh token.
    let current: Int
    /// The number of the refresh token that came with this token.
    let generation: Int
    let expires: Date
    /// The key that the token is bound to. Nil for none.
    let keyThumbprint: String?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let count = StoredSession.columnCount
        session = try StoredSession(row)
        grant = try ClientGrant(row, at: count)
        current = try row.count(count + 3)
        generation = try row.count(count + 4)
        expires = try row.get(count + 5)
        keyThumbprint = try row.get(count + 6)
    }
}

/// SQL statements for the sessions and tokens of clients.
enum ClientSessionStatements {
    static let insert = Statement(
        """
        INSERT INTO client_sessions
            (session_id, client_id, scopes, audience, generation, refresh_hash, browser_id, is_told)
        VALUES (?, ?, ?, ?, 1, ?, ?, ?)
        """, String.self, String.self, String.self, String.self, [UInt8].self, String?.self, Bool.self)

    /// Stores the session of a browser in which a client's session was allowed, and copies its provider, the session
    /// there, and how the person authenticated.
    static let copyProvider = Statement(
        """
        UPDATE sessions SET provider = b.provider, provider_session = b.provider_session,
            methods = \(SessionStatements.methods(of: "b")), allowed_in = b.id
        FROM sessions b WHERE sessions.id = ?1 AND b.id = ?2
        """, String.self, String?.self)

    static let find = Statement(
        """
        SELECT s.person_id, s.expires_at, s.cap_at, s.ended_at IS NOT NULL OR p.disabled_at IS NOT NULL,
            c.client_id, c.scopes, c.audience, c.generation, c.refresh_hash, c.next_hash, c.next_answer,
            coalesce(s.authenticated_at, s.created_at), \(SessionStatements.methods(of: "s")), s.key_thumbprint,
            s.created_at
        FROM client_sessions c JOIN sessions s ON s.id = c.session_id JOIN people p ON p.id = s.person_id
        WHERE c.session_id = ?
        """, String.self, row: StoredClientSession.init)

    /// Selects a session by its id, with its person and the person's groups.
    static let findSession = Statement(
        """
        SELECT \(SessionStatements.storedColumns) FROM sessions s LEFT JOIN people p ON p.id = s.person_id WHERE s.id = ?
        """, String.self, row: StoredSession.init)

    static let setScopes = Statement(
        "UPDATE client_sessions SET scopes = ? WHERE session_id = ?", String.self, String.self)

    static let isLive = Statement(
        """
        SELECT s.ended_at IS NULL AND s.expires_at > ?3 FROM client_sessions c JOIN sessions s ON s.id = c.session_id
        WHERE c.session_id = ?1 AND c.browser_id = ?2
        """, String.self, String.self, Date.self, row: { row throws(DatabaseError) in try row.get(0) as Bool })

    /// Stores the current refresh token and its successor.
    static let rotate = Statement(
        """
        UPDATE client_sessions SET generation = ?1, refresh_hash = ?2, next_hash = ?3, next_answer = ?4
        WHERE session_id = ?5
        """, Int.self, [UInt8].self, [UInt8].self, [UInt8].self, String.self)

    static let replaceAnswer = Statement(
        "UPDATE client_sessions SET next_answer = ? WHERE session_id = ?", [UInt8].self, String.self)

    /// Makes the successor with a number the current refresh token, unless it is already.
    static let promote = Statement(
        """
        UPDATE client_sessions
        SET generation = ?2, refresh_hash = next_hash, next_hash = NULL, next_answer = NULL
        WHERE session_id = ?1 AND generation = ?2 - 1 AND next_hash IS NOT NULL
        """, String.self, Int.self)

    static let insertAccess = Statement(
        """
        INSERT INTO access_tokens (token_hash, session_id, generation, expires_at, key_thumbprint)
        VALUES (?, ?, ?, ?, ?)
        """, [UInt8].self, String.self, Int.self, Date.self, String?.self)

    static let findAccess = Statement(
        """
        SELECT \(SessionStatements.storedColumns), c.client_id, c.scopes, c.audience, c.generation, a.generation,
            a.expires_at, a.key_thumbprint
        FROM access_tokens a JOIN client_sessions c ON c.session_id = a.session_id
            JOIN sessions s ON s.id = a.session_id LEFT JOIN people p ON p.id = s.person_id
        WHERE a.token_hash = ?
        """, [UInt8].self, row: StoredAccessToken.init)

    /// Selects an access token of the gateway's own apps.
    static let ownAccess = Statement(
        """
        SELECT a.session_id, a.expires_at, a.key_thumbprint IS NOT NULL
        FROM access_tokens a JOIN client_sessions c ON c.session_id = a.session_id
        WHERE a.token_hash = ? AND c.client_id = ?
        """, [UInt8].self, String.self
    ) { row throws(DatabaseError) in
        (session: SessionID(rawValue: try row.get(0)), expires: try row.get(1) as Date, isBound: try row.get(2) as Bool)
    }

    static let sessionOfAccess = Statement(
        "SELECT session_id FROM access_tokens WHERE token_hash = ?", [UInt8].self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Deletes the access tokens of a session that belong to a generation below a number, or have expired.
    static let deleteOld = Statement(
        "DELETE FROM access_tokens WHERE session_id = ?1 AND (generation < ?2 OR expires_at <= ?3)", String.self,
        Int.self, Date.self)

    /// Deletes the access tokens of a generation of a session, except those that expire last.
    static let deleteRepeated = Statement(
        """
        DELETE FROM access_tokens WHERE token_hash IN (
            SELECT token_hash FROM access_tokens WHERE session_id = ?1 AND generation = ?2
            ORDER BY expires_at DESC, token_hash LIMIT 1000000000 OFFSET ?3)
        """, String.self, Int.self, Int.self)

    static let purge = Statement(
        """
        DELETE FROM access_tokens WHERE token_hash IN
            (SELECT token_hash FROM access_tokens WHERE expires_at < ? LIMIT 500)
        """, Date.self)
}
