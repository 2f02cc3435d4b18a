import Crypto
import Database
import FoundationEssentials

/// The SQL of people.
enum PeopleStatements {
    static let columns = """
        id, email, name, is_admin, is_verified, created_at, disabled_at, session_epoch, must_change_password, avatar_color,
        is_vouched
        """
    /// How many ``columns`` there are: the index of what is selected behind them.
    static let columnCount = 11

    static let insert = Statement(
        """
        INSERT INTO people (id, email, name, password_hash, is_admin, is_vouched, must_change_password, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (email) DO NOTHING RETURNING \(columns)
        """, UUID.self, String.self, String?.self, String?.self, Bool.self, Bool.self, Bool.self, Date.self, row: person
    )

    static let all = Statement("SELECT \(columns) FROM people ORDER BY email", row: person)

    /// By e-mail address behind one, with a text somewhere in address or name.
    static let page = Statement(
        """
        SELECT \(columns) FROM people
        WHERE email > ? AND (instr(email, ?) > 0 OR instr(lower(coalesce(name, '')), ?) > 0) ORDER BY email LIMIT ?
        """, String.self, String.self, String.self, Int.self, row: person)

    /// Whether another administrator may and can sign in: who was invited and never came cannot. Each statement that removes an
    /// administrator checks this, so that two administrators who remove each other at the same time do not both succeed.
    private static let hasAnotherAdministrator = """
        EXISTS (
            SELECT 1 FROM people o WHERE o.is_admin AND o.disabled_at IS NULL AND o.id <> people.id
                AND (o.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM identities i WHERE i.person_id = o.id)))
        """
    /// Whether the person is not the last active administrator.
    private static let isDispensable = "(NOT is_admin OR disabled_at IS NOT NULL OR \(hasAnotherAdministrator))"

    /// Whether a person may lose the identities at a provider: not the last administrator the last way to sign in.
    static let mayUnlink = Statement(
        """
        SELECT \(isDispensable) OR password_hash IS NOT NULL
            OR EXISTS (SELECT 1 FROM identities i WHERE i.person_id = people.id AND i.provider <> ?)
        FROM people WHERE id = ?
        """, String.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let setAdministrator = Statement(
        "UPDATE people SET is_admin = ?1 WHERE id = ?2 AND (?1 OR \(isDispensable)) RETURNING \(columns)", Bool.self,
        UUID.self, row: person)

    static let byEmail = Statement("SELECT \(columns) FROM people WHERE email = ?", String.self, row: person)

    static let byID = Statement("SELECT \(columns) FROM people WHERE id = ?", UUID.self, row: person)

    static let anybody = Statement("SELECT EXISTS (SELECT 1 FROM people)") { row throws(DatabaseError) in
        try row.get(0) as Bool
    }

    static let credential = Statement(
        "SELECT \(columns), password_hash FROM people WHERE email = ?", String.self
    ) { row throws(DatabaseError) in
        let hash = (try row.get(columnCount) as String?).map(PasswordHash.init(rawValue:))
        // One that cannot be read would be refused faster than a wrong password.
        return StoredCredential(person: try person(row), hash: hash.flatMap { $0.isWellFormed ? $0 : nil })
    }

    /// One hash of each kind: those whose text is the same up to the salt. 15 characters stand before the parameters.
    static let kinds = Statement(
        """
        SELECT password_hash FROM people WHERE password_hash IS NOT NULL
        GROUP BY substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$')) LIMIT 64
        """
    ) { row throws(DatabaseError) in PasswordHash(rawValue: try row.get(0)) }

    /// What ends sign-ins in progress, and the use of what providers gave out before: part of an `UPDATE` of people. `moment` is
    /// the parameter with the time.
    static func signingOut(at moment: String) -> String {
        "session_epoch = session_epoch + 1, signed_out_at = \(moment)"
    }

    /// Whether the person was signed out everywhere at a time or later.
    static let isSignedOut = Statement(
        "SELECT coalesce(signed_out_at >= ?, 0) FROM people WHERE id = ?", Date.self, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let setPassword = Statement(
        """
        UPDATE people SET password_hash = ?, must_change_password = ?, \(signingOut(at: "?")) WHERE id = ?
        RETURNING \(columns)
        """, String.self, Bool.self, Date.self, UUID.self, row: person)

    /// Another password that the person chose. Nothing is changed when the password was changed or the person disabled since the
    /// epoch was read, when the session is over, or when the person had to choose one and has done so. Else the duty to change
    /// it stays as it is.
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

    /// What is nil stays; nothing is changed when somebody else has the address. A new one is proved by nobody.
    static let changeProfile = Statement(
        """
        UPDATE people SET email = coalesce(?1, email), name = coalesce(?2, name), avatar_color = coalesce(?3, avatar_color),
            is_verified = is_verified AND ?1 IS NULL, is_vouched = is_vouched AND ?1 IS NULL
        WHERE id = ?4 AND NOT EXISTS (SELECT 1 FROM people o WHERE o.email = ?1 AND o.id <> ?4)
        RETURNING \(columns)
        """, String?.self, String?.self, String?.self, UUID.self, row: person)

    /// Puts a hash of the same password in place of an outdated one, unless the password was changed meanwhile.
    static let rehash = Statement(
        "UPDATE people SET password_hash = ? WHERE id = ? AND password_hash = ?", String.self, UUID.self, String.self)

    static let disable = Statement(
        """
        UPDATE people SET disabled_at = coalesce(disabled_at, ?1), \(signingOut(at: "?1"))
        WHERE id = ?2 AND \(isDispensable) RETURNING \(columns)
        """, Date.self, UUID.self, row: person)

    static let enable = Statement(
        "UPDATE people SET disabled_at = NULL WHERE id = ? RETURNING \(columns)", UUID.self, row: person)

    static let remove = Statement(
        "DELETE FROM people WHERE id = ? AND \(isDispensable) RETURNING \(columns)", UUID.self, row: person)

    @Sendable
    static func person(_ row: SQLRow) throws(DatabaseError) -> Person {
        Person(
            id: try row.get(0), email: try row.get(1), name: try row.get(2), created: try row.get(5),
            sessionEpoch: try row.get(7), disabled: try row.get(6), isAdministrator: try row.get(3),
            isVerified: try row.get(4), mustChangePassword: try row.get(8), avatarColor: try row.get(9),
            isVouched: try row.get(10))
    }
}

/// A person and the hash of the password, for signing in.
struct StoredCredential: Sendable {
    let person: Person
    /// Nil when the person has no password, or what is stored is no hash.
    let hash: PasswordHash?
}
