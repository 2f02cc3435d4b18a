import Database
import FoundationEssentials

/// SQL statements for the addresses from which people have signed in with the password.
enum KnownAddressStatements {
    /// Finds the last sign-in from an address after `?2`, since the password of the account changed.
    static let find = Statement(
        """
        SELECT k.used_at FROM known_addresses k, people p
        WHERE k.digest = ?1 AND k.used_at > ?2 AND p.email = ?3 AND k.used_at >= p.created_at
            AND (p.signed_out_at IS NULL OR k.used_at >= p.signed_out_at)
        """, [UInt8].self, Date.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Date }

    static let record = Statement(
        """
        INSERT INTO known_addresses (digest, account, used_at) VALUES (?, ?, ?)
        ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at
        """, [UInt8].self, [UInt8].self, Date.self)

    /// Deletes the addresses of an account beyond `?2`.
    static let trim = Statement(
        """
        DELETE FROM known_addresses WHERE digest IN (
            SELECT digest FROM known_addresses WHERE account = ?1 ORDER BY used_at DESC, digest
            LIMIT 1000000000 OFFSET ?2)
        """, [UInt8].self, Int.self)

    static let deleteUnused = Statement(
        """
        DELETE FROM known_addresses WHERE digest IN (
            SELECT digest FROM known_addresses WHERE used_at <= ? ORDER BY used_at LIMIT 1000)
        """, Date.self)
}
