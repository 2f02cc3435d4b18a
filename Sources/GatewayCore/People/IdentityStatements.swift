import Database
import FoundationEssentials

/// SQL statements for identities.
enum IdentityStatements {
    static let person = Statement(
        """
        SELECT \(PeopleStatements.columns) FROM people
        WHERE id = (SELECT person_id FROM identities WHERE provider = ? AND issuer = ? AND subject = ?)
        """, String.self, String.self, String.self, row: PeopleStatements.person)

    static let insert = Statement(
        """
        INSERT INTO identities (provider, issuer, subject, person_id, email, linked_at, groups) VALUES (?, ?, ?, ?, ?, ?, ?)
        """, String.self, String.self, String.self, UUID.self, String?.self, Date.self, String.self)

    /// Stores the groups that the provider sent. Changes nothing if they are the same as before.
    static let setGroups = Statement(
        "UPDATE identities SET groups = ?1 WHERE provider = ?2 AND issuer = ?3 AND subject = ?4 AND groups <> ?1",
        String.self, String.self, String.self, String.self)

    /// Selects whether each provider links accounts by address, or did so when it was last configured.
    static let trust = Statement(
        "SELECT provider, issuer, links_by_email FROM provider_trust"
    ) { row throws(DatabaseError) in
        (
            key: ConfiguredSignIn.ProviderKey(try row.get(0), issuer: try row.get(1)),
            linksByEmail: try row.get(2) as Bool
        )
    }

    /// Stores whether a provider links accounts by address.
    static let setTrust = Statement(
        """
        INSERT INTO provider_trust (provider, issuer, links_by_email) VALUES (?, ?, ?)
        ON CONFLICT (provider, issuer) DO UPDATE SET links_by_email = excluded.links_by_email
        """, String.self, String.self, Bool.self)

    static let groups = Statement(
        "SELECT groups FROM identities WHERE provider = ? AND issuer = ? AND subject = ?",
        String.self, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    /// Selects the providers, with their issuers, that have sent groups.
    static let providersWithGroups = Statement(
        "SELECT DISTINCT provider, issuer FROM identities WHERE groups <> ''"
    ) { row throws(DatabaseError) in (id: try row.get(0) as String, issuer: try row.get(1) as String) }

    /// Deletes the groups that a provider has sent.
    static let deleteGroups = Statement(
        "UPDATE identities SET groups = '' WHERE provider = ? AND issuer = ? AND groups <> ''", String.self, String.self
    )

    /// Links an identity for an administrator. Inserts nothing if the identity is already linked, or if the person
    /// already has an identity at the provider.
    static let link = Statement(
        """
        INSERT INTO identities (provider, issuer, subject, person_id, email, linked_at)
        SELECT ?1, ?2, ?3, id, NULL, ?4 FROM people WHERE id = ?5
            AND NOT EXISTS (SELECT 1 FROM identities WHERE provider = ?1 AND issuer = ?2 AND (subject = ?3 OR person_id = ?5))
        """, String.self, String.self, String.self, Date.self, UUID.self)

    /// Finds the person with an e-mail address, as a candidate for linking.
    static let candidate = Statement(
        """
        SELECT \(PeopleStatements.columns), password_hash IS NOT NULL,
            EXISTS (SELECT 1 FROM identities i WHERE i.person_id = people.id),
            EXISTS (SELECT 1 FROM identities i WHERE i.person_id = people.id AND i.provider = ? AND i.issuer = ?)
        FROM people WHERE email = ?
        """, String.self, String.self, String.self
    ) { row throws(DatabaseError) in
        let next = PeopleStatements.columnCount
        return LinkCandidate(
            person: try PeopleStatements.person(row), hasPassword: try row.get(next),
            hasIdentity: try row.get(next + 1), isLinkedAlready: try row.get(next + 2))
    }

    /// Marks the person's address as verified, and sets the name if the person has none.
    static let verify = Statement(
        "UPDATE people SET is_verified = TRUE, name = coalesce(name, ?) WHERE id = ? RETURNING \(PeopleStatements.columns)",
        String?.self, UUID.self, row: PeopleStatements.person)

    /// Marks the person's address as confirmed by an administrator.
    static let vouch = Statement("UPDATE people SET is_vouched = TRUE WHERE id = ?", UUID.self)

    static let dropPassword = Statement(
        """
        UPDATE people SET name = NULL, password_hash = NULL, must_change_password = FALSE, session_epoch = session_epoch + 1
        WHERE id = ?
        """, UUID.self)

    static let all = Statement("SELECT \(columns) FROM identities ORDER BY provider, linked_at", row: identity)

    static let ofPerson = Statement(
        "SELECT \(columns) FROM identities WHERE person_id = ? ORDER BY provider, linked_at", UUID.self, row: identity)

    static let unlink = Statement(
        "DELETE FROM identities WHERE person_id = ? AND provider = ?", UUID.self, String.self)

    static let unlinkAll = Statement("DELETE FROM identities WHERE person_id = ?", UUID.self)

    static let hasPassword = Statement(
        "SELECT password_hash IS NOT NULL FROM people WHERE id = ?", UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let hasNoWay = Statement(
        """
        SELECT password_hash IS NULL AND NOT EXISTS (SELECT 1 FROM identities WHERE person_id = people.id)
        FROM people WHERE id = ?
        """, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let withPassword = Statement("SELECT id FROM people WHERE password_hash IS NOT NULL") {
        row throws(DatabaseError) in
        try row.get(0) as UUID
    }

    private static let columns = "provider, issuer, subject, person_id, email, linked_at, groups"

    @Sendable
    private static func identity(_ row: SQLRow) throws(DatabaseError) -> PersonIdentity {
        PersonIdentity(
            provider: try row.get(0), issuer: try row.get(1), subject: try row.get(2), person: try row.get(3),
            email: try row.get(4), linked: try row.get(5), groups: IdentityGroups.read(try row.get(6)))
    }
}

/// A person with the e-mail address of an unlinked identity.
struct LinkCandidate: Sendable {
    let person: Person
    let hasPassword: Bool
    let hasIdentity: Bool
    /// Whether the person has another identity at this provider.
    let isLinkedAlready: Bool

    /// Whether the person was invited to sign in through a provider and has not done so yet.
    var isInvited: Bool { person.isVouched && !hasPassword && !hasIdentity }
}
