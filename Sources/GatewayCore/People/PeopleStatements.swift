package import Crypto
import Database
import FoundationEssentials

/// SQL statements for people.
enum PeopleStatements {
    static let columns = """
        id, email, name, is_admin, is_verified, created_at, disabled_at, session_epoch, must_change_password, avatar_color,
        is_vouched
        """
    /// The number of ``columns``, which is the index of the first column that is selected after them.
    static let columnCount = 11

    static let insert = Statement(
        """
        INSERT INTO people (id, email, name, password_hash, is_admin, is_vouched, must_change_password, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (email) DO NOTHING RETURNING \(columns)
        """, UUID.self, String.self, String?.self, String?.self, Bool.self, Bool.self, Bool.self, Date.self, row: person
    )

    static let all = Statement("SELECT \(columns) FROM people ORDER BY email", row: person)

    static let count = Statement("SELECT count(*) FROM people") { row throws(DatabaseError) in try row.get(0) as Int }

    /// Selects people after an e-mail address, sorted by address, whose address or name contains a text.
    static let page = Statement(
        """
        SELECT \(columns) FROM people
        WHERE email > ? AND (instr(email, ?) > 0 OR instr(lower(coalesce(name, '')), ?) > 0) ORDER BY email LIMIT ?
        """, String.self, String.self, String.self, Int.self, row: person)

    /// Returns an SQL condition: whether a person has a way to sign in that the configuration allows. A person who was
    /// invited but has never signed in has none. `passwords` and `providers` are the parameters with the values of
    /// ``ConfiguredSignIn``.
    private static func canSignIn(_ person: String, _ passwords: String, _ providers: String) -> String {
        """
        (\(person).password_hash IS NOT NULL AND \(passwords) OR EXISTS (
            SELECT 1 FROM identities i JOIN json_each(\(providers)) j ON j.value = i.provider || ' ' || i.issuer
            WHERE i.person_id = \(person).id))
        """
    }

    /// Returns an SQL condition: whether another active administrator can sign in. Each statement that removes an
    /// administrator checks this, so that two administrators who remove each other at the same time do not both succeed.
    private static func hasAnotherAdministrator(_ passwords: String, _ providers: String) -> String {
        """
        EXISTS (
            SELECT 1 FROM people o WHERE o.is_admin AND o.disabled_at IS NULL AND o.id <> people.id
                AND \(canSignIn("o", passwords, providers)))
        """
    }

    /// Returns an SQL condition: whether the person is not the last active administrator who can sign in.
    private static func isNotLastAdministrator(_ passwords: String, _ providers: String) -> String {
        "(NOT is_admin OR disabled_at IS NOT NULL OR \(hasAnotherAdministrator(passwords, providers)))"
    }

    /// Whether a person's identities at a provider may be removed. False if they are the last administrator's only way
    /// to sign in.
    static let mayUnlink = Statement(
        """
        SELECT \(isNotLastAdministrator("?3", "?4")) OR password_hash IS NOT NULL AND ?3
            OR EXISTS (
                SELECT 1 FROM identities i JOIN json_each(?4) j ON j.value = i.provider || ' ' || i.issuer
                WHERE i.person_id = people.id AND i.provider <> ?1)
        FROM people WHERE id = ?2
        """, String.self, UUID.self, Bool.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let setAdministrator = Statement(
        """
        UPDATE people SET is_admin = ?1 WHERE id = ?2 AND (?1 OR \(isNotLastAdministrator("?3", "?4")))
        RETURNING \(columns)
        """, Bool.self, UUID.self, Bool.self, String.self, row: person)

    static let byEmail = Statement("SELECT \(columns) FROM people WHERE email = ?", String.self, row: person)

    static let byID = Statement("SELECT \(columns) FROM people WHERE id = ?", UUID.self, row: person)

    /// Selects whether a person is an administrator. Selects nothing if the person is disabled or was signed out since.
    static let isAdministrator = Statement(
        "SELECT is_admin FROM people WHERE id = ? AND session_epoch = ? AND disabled_at IS NULL", UUID.self, Int.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let hasPeople = Statement("SELECT EXISTS (SELECT 1 FROM people)") { row throws(DatabaseError) in
        try row.get(0) as Bool
    }

    static let credential = Statement(
        "SELECT \(columns), password_hash FROM people WHERE email = ?", String.self
    ) { row throws(DatabaseError) in
        let hash = (try row.get(columnCount) as String?).map(PasswordHash.init(rawValue:))
        // A malformed hash is dropped, because it would be refused faster than a wrong password.
        return StoredCredential(person: try person(row), hash: hash.flatMap { $0.isWellFormed ? $0 : nil })
    }

    /// Selects one hash of each kind, where hashes of one kind have the same text before the salt. The parameters begin
    /// after 15 characters.
    static let kinds = Statement(
        """
        SELECT min(password_hash) FROM people WHERE password_hash IS NOT NULL
        GROUP BY substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$')) LIMIT 64
        """
    ) { row throws(DatabaseError) in PasswordHash(rawValue: try row.get(0)) }

    /// Returns the part of an `UPDATE` of people that ends sign-ins in progress and invalidates what providers issued
    /// before. `moment` is the parameter with the time.
    static func signingOut(at moment: String) -> String {
        "session_epoch = session_epoch + 1, signed_out_at = \(moment)"
    }

    /// Whether the person was signed out everywhere at or after a time.
    static let isSignedOut = Statement(
        "SELECT coalesce(signed_out_at >= ?, FALSE) FROM people WHERE id = ?", Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let setPassword = Statement(
        """
        UPDATE people SET password_hash = ?, must_change_password = ?, \(signingOut(at: "?")) WHERE id = ?
        RETURNING \(columns)
        """, String.self, Bool.self, Date.self, UUID.self, row: person)

    /// Sets a password that the person chose. Changes nothing if the password was changed or the person was disabled
    /// since the epoch was read, or if the session has ended. Also changes nothing if the person was required to choose
    /// a password and has already done so. If the change was not required, `must_change_password` keeps its value.
    static let choosePassword = Statement(
        """
        UPDATE people SET password_hash = ?1, must_change_password = must_change_password AND NOT ?2,
            \(signingOut(at: "?3"))
        WHERE id = ?4 AND session_epoch = ?5 AND disabled_at IS NULL AND (must_change_password OR NOT ?2)
            AND EXISTS (
                SELECT 1 FROM sessions s
                WHERE s.id = ?6 AND s.person_id = ?4 AND s.ended_at IS NULL AND s.expires_at > ?3)
        RETURNING \(columns)
        """, String.self, Bool.self, Date.self, UUID.self, Int.self, String.self, row: person)

    /// Changes a profile. A nil parameter leaves the column unchanged. Changes nothing if another person has the
    /// address. A new address is not proved.
    static let changeProfile = Statement(
        """
        UPDATE people SET email = coalesce(?1, email), name = coalesce(?2, name), avatar_color = coalesce(?3, avatar_color),
            is_verified = is_verified AND ?1 IS NULL, is_vouched = is_vouched AND ?1 IS NULL
        WHERE id = ?4 AND NOT EXISTS (SELECT 1 FROM people o WHERE o.email = ?1 AND o.id <> ?4)
        RETURNING \(columns)
        """, String?.self, String?.self, String?.self, UUID.self, row: person)

    /// Replaces an outdated hash with a new one of the same password, unless the password was changed in the meantime.
    static let rehash = Statement(
        "UPDATE people SET password_hash = ? WHERE id = ? AND password_hash = ?", String.self, UUID.self, String.self)

    static let disable = Statement(
        """
        UPDATE people SET disabled_at = coalesce(disabled_at, ?1), \(signingOut(at: "?1"))
        WHERE id = ?2 AND \(isNotLastAdministrator("?3", "?4")) RETURNING \(columns)
        """, Date.self, UUID.self, Bool.self, String.self, row: person)

    static let enable = Statement(
        "UPDATE people SET disabled_at = NULL WHERE id = ? RETURNING \(columns)", UUID.self, row: person)

    static let remove = Statement(
        "DELETE FROM people WHERE id = ?1 AND \(isNotLastAdministrator("?2", "?3")) RETURNING \(columns)",
        UUID.self, Bool.self, String.self, row: person)

    @Sendable
    static func person(_ row: SQLRow) throws(DatabaseError) -> Person {
        Person(
            id: try row.get(0), email: try row.get(1), name: try row.get(2), created: try row.get(5),
            sessionEpoch: try row.get(7), disabled: try row.get(6), isAdministrator: try row.get(3),
            isVerified: try row.get(4), mustChangePassword: try row.get(8), avatarColor: try row.get(9),
            isVouched: try row.get(10))
    }
}

/// A person and the password hash, for signing in.
package struct StoredCredential: Sendable {
    package let person: Person
    /// Nil when the person has no password or the stored hash is malformed.
    package let hash: PasswordHash?
}
