import Database
import FoundationEssentials

/// SQL statements for the addresses from which people have signed in with the password. `?1` is the e-mail address of the
/// account, and `?2` the digest of the client's address.
enum KnownAddressStatements {
    /// Finds the last sign-in from an address after `?3`, since the password of the account changed.
    static let find = Statement(
        """
        SELECT k.used_at FROM people p, known_addresses k
        WHERE p.email = ?1 AND k.person_id = p.id AND k.address = ?2 AND k.used_at > ?3
            AND (p.signed_out_at IS NULL OR k.used_at >= p.signed_out_at)
        """, String.self, [UInt8].self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Date }

    static let record = Statement(
        """
        INSERT INTO known_addresses (person_id, address, used_at) SELECT id, ?2, ?3 FROM people WHERE email = ?1
        ON CONFLICT (person_id, address) DO UPDATE SET used_at = excluded.used_at
        """, String.self, [UInt8].self, Date.self)

    /// Deletes the addresses of an account beyond `?2`.
    static let trim = Statement(
        """
        DELETE FROM known_addresses WHERE (person_id, address) IN (
            SELECT k.person_id, k.address FROM people p, known_addresses k
            WHERE p.email = ?1 AND k.person_id = p.id ORDER BY k.used_at DESC, k.address
            LIMIT 1000000000 OFFSET ?2)
        """, String.self, Int.self)

    /// Deletes all addresses of a person.
    static let deleteAll = Statement("DELETE FROM known_addresses WHERE person_id = ?", UUID.self)

    static let deleteUnused = Statement(
        """
        DELETE FROM known_addresses WHERE (person_id, address) IN (
            SELECT person_id, address FROM known_addresses WHERE used_at <= ? ORDER BY used_at LIMIT 1000)
        """, Date.self)
}
