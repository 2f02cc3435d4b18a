import Database
import FoundationEssentials

/// SQL statements for unlinked identities.
enum UnlinkedIdentityStatements {
    /// Stores an identity, or updates it when it signs in again.
    static let record = Statement(
        """
        INSERT INTO unlinked_identities (provider, issuer, subject, email, name, seen_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (provider, issuer, subject) DO UPDATE
        SET email = excluded.email, name = excluded.name, seen_at = excluded.seen_at
        """, String.self, String.self, String.self, String?.self, String?.self, Date.self)

    /// Stores a person's identities at a provider before they are unlinked, without the person.
    static let noteAll = Statement(
        """
        INSERT INTO unlinked_identities (provider, issuer, subject, seen_at)
        SELECT provider, issuer, subject, ? FROM identities WHERE person_id = ? AND provider = ?
        ON CONFLICT (provider, issuer, subject) DO NOTHING
        """, Date.self, UUID.self, String.self)

    /// Deletes the identities beyond a number. Of the most recently seen ones each provider keeps as many as any other, so
    /// that those of one provider do not displace those of others.
    static let trim = Statement(
        """
        DELETE FROM unlinked_identities WHERE id IN (
            SELECT id FROM (
                SELECT id, seen_at, row_number() OVER (PARTITION BY provider ORDER BY seen_at DESC, id DESC) AS place
                FROM unlinked_identities
            ) AS placed ORDER BY place, seen_at DESC, id DESC LIMIT 1000000000 OFFSET ?)
        """, Int.self)

    static let purge = Statement("DELETE FROM unlinked_identities WHERE seen_at < ?", Date.self)

    /// Whether a subject is known, linked or not.
    static let isKnown = Statement(
        """
        SELECT EXISTS (SELECT 1 FROM unlinked_identities WHERE provider = ?1 AND issuer = ?2 AND subject = ?3)
            OR EXISTS (SELECT 1 FROM identities WHERE provider = ?1 AND issuer = ?2 AND subject = ?3)
        """, String.self, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    /// Selects unlinked identities, the most recently seen first.
    static let last = Statement(
        "SELECT \(columns) FROM unlinked_identities ORDER BY seen_at DESC, id DESC LIMIT ?", Int.self, row: identity)

    static let byID = Statement(
        "SELECT \(columns) FROM unlinked_identities WHERE id = ?", Int.self, row: identity)

    private static let columns = "id, provider, issuer, subject, email, name, seen_at"

    @Sendable
    private static func identity(_ row: SQLRow) throws(DatabaseError) -> UnlinkedIdentity {
        UnlinkedIdentity(
            id: try row.get(0), provider: try row.get(1), issuer: try row.get(2), subject: try row.get(3),
            email: try row.get(4), name: try row.get(5), seen: try row.get(6))
    }
}
