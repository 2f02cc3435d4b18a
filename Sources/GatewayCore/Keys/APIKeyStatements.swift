import Database
import FoundationEssentials

/// SQL statements for API keys.
enum APIKeyStatements {
    /// An SQL condition: whether a key is valid at the time in the first parameter.
    private static let isLive = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?1)"

    /// Inserts a key, unless the person's sessions were ended since the person was read, the key that made the request
    /// was revoked or expired in the meantime, or the person has the maximum number of keys.
    static let insert = Statement(
        """
        INSERT INTO api_keys (created_at, id, key_hash, person_id, name, scopes, expires_at, parent_id)
        SELECT ?1, ?2, ?3, id, ?4, ?5, ?6, ?9 FROM people WHERE id = ?7 AND session_epoch = ?8 AND disabled_at IS NULL
            AND (?9 IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE id = ?9 AND \(isLive)))
            AND (SELECT count(*) FROM api_keys WHERE person_id = ?7 AND \(isLive)) < ?10
        """, Date.self, UUID.self, [UInt8].self, String.self, String.self, Date?.self, UUID.self, Int.self, UUID?.self,
        Int.self)

    /// Gives the keys that were created with one of a person's old keys the parent of that key, before the old ones are
    /// deleted, so that a key is still revoked with those that it was created through.
    static let adoptSuccessors = Statement(
        """
        UPDATE api_keys SET parent_id = (SELECT p.parent_id FROM api_keys p WHERE p.id = api_keys.parent_id)
        WHERE parent_id IN (\(excess))
        """, Date.self, UUID.self, Int.self)

    /// Deletes the oldest of a person's keys that are revoked or have expired.
    static let deleteExcess = Statement(
        "DELETE FROM api_keys WHERE id IN (\(excess))", Date.self, UUID.self, Int.self)

    private static let excess = """
        SELECT id FROM api_keys WHERE person_id = ?2 AND NOT (\(isLive))
        ORDER BY created_at DESC, rowid DESC LIMIT 100 OFFSET ?3
        """

    static let count = Statement(
        "SELECT count(*) FROM api_keys WHERE \(isLive) AND person_id = ?2", Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let find = Statement(
        """
        SELECT \(PeopleStatements.columns), key_id, key_scopes, key_used, key_expires,
            (SELECT group_concat(i.groups, '\n') FROM identities i WHERE i.person_id = key_owner AND i.groups <> '')
        FROM people JOIN (
            SELECT id AS key_id, scopes AS key_scopes, last_used_at AS key_used, expires_at AS key_expires,
                person_id AS key_owner
            FROM api_keys WHERE \(isLive) AND key_hash = ?2)
        live ON id = key_owner WHERE disabled_at IS NULL
        """, Date.self, [UInt8].self, row: StoredAPIKey.init)

    /// Selects whether the person of a valid key is an administrator. Selects nothing if the key is not valid at a time
    /// or its person is disabled.
    static let isAdministrator = Statement(
        """
        SELECT p.is_admin FROM api_keys k JOIN people p ON p.id = k.person_id
        WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?) AND k.id = ? AND p.disabled_at IS NULL
        """, Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    private static let listed = """
        SELECT k.id, k.person_id, p.email, k.name, k.scopes, k.created_at, k.last_used_at, k.expires_at
        FROM api_keys k LEFT JOIN people p ON p.id = k.person_id
        WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > ?1)
        """

    static let list = Statement("\(listed) ORDER BY k.created_at DESC, k.rowid DESC", Date.self, row: APIKey.init)

    static let listOfPerson = Statement(
        "\(listed) AND k.person_id = ?2 ORDER BY k.created_at DESC, k.rowid DESC", Date.self, UUID.self,
        row: APIKey.init)

    static let owner = Statement(
        "SELECT person_id FROM api_keys WHERE \(isLive) AND id = ?2", Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    static let revoke = Statement(
        "UPDATE api_keys SET revoked_at = ?1 WHERE id = ?2 AND (?3 IS NULL OR person_id = ?3) AND \(isLive) "
            + "RETURNING person_id", Date.self, UUID.self, UUID?.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    /// Revokes the keys that were created with a key, directly or through other keys.
    static let revokeSuccessors = Statement(
        """
        WITH RECURSIVE made (id) AS (
            SELECT id FROM api_keys WHERE parent_id = ?2
            UNION SELECT k.id FROM api_keys k JOIN made ON k.parent_id = made.id)
        UPDATE api_keys SET revoked_at = ?1 WHERE id IN (SELECT id FROM made) AND \(isLive) RETURNING id
        """, Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    /// Revokes a person's keys. It is used wherever a person's sessions end for a reason that concerns the account.
    static let revokeAll = Statement(
        "UPDATE api_keys SET revoked_at = ?1 WHERE \(isLive) AND person_id = ?2", Date.self, UUID.self)

    static let use = Statement(
        "UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE id = ? AND revoked_at IS NULL",
        Date.self, UUID.self)

    static let purge = Statement(
        """
        DELETE FROM api_keys WHERE rowid IN
            (SELECT rowid FROM api_keys WHERE revoked_at < ?1
            UNION ALL SELECT rowid FROM api_keys WHERE revoked_at IS NULL AND expires_at < ?1 LIMIT 500)
        """, Date.self)

    /// When the person last signed in or created a key. Ended sessions and revoked keys do not count.
    static let lastSignIn = Statement(
        """
        SELECT max(moment) FROM (
            SELECT max(created_at) AS moment FROM sessions WHERE person_id = ?1 AND ended_at IS NULL
            UNION ALL SELECT max(created_at) FROM api_keys WHERE person_id = ?1 AND revoked_at IS NULL) moments
        """, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Date? }
}

/// An API key as stored in the database, with its person.
struct StoredAPIKey: Sendable {
    let known: KnownAPIKey
    let lastUsed: Date?

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        let next = PeopleStatements.columnCount
        let words = (try row.get(next + 1) as String).split(separator: " ").map(String.init)
        known = KnownAPIKey(
            id: try row.get(next), person: try PeopleStatements.person(row), scopes: APIKeyScopes(words),
            groups: IdentityGroups.read(try row.get(next + 4)), expires: try row.get(next + 3))
        lastUsed = try row.get(next + 2)
    }
}
