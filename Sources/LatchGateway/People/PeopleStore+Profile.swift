import Crypto
import Database
import FoundationEssentials
import Primitives

/// What a person changes of themselves; nil leaves it as it is.
struct ProfileChange: Sendable {
    var email: EmailAddress?
    var name: String?
    var avatarColor: String?
}

extension PeopleStore {
    /// Changes what a person may change of themselves.
    ///
    /// An address that the person chose is proved by nobody: a provider's word that it is somebody's then counts for that
    /// somebody, and takes an unproved password away.
    ///
    /// - Throws: ``GatewayError/Code/personExists`` when somebody else has the address;
    ///   ``GatewayError/Code/unknownPerson``.
    func change(_ person: UUID, to change: ProfileChange) async throws -> Person {
        let email = change.email?.text
        let name = change.name.map { $0.displayName(limit: 200) ?? "" }
        let color = change.avatarColor
        let outcome = try await database.write { connection throws(DatabaseError) -> Person?? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            return .some(try connection.first(PeopleStatements.changeProfile, email, name, color, person))
        }
        guard let found = outcome else { throw Self.gone }
        guard let changed = found else {
            throw GatewayError(.personExists, "Somebody else has this e-mail address.")
        }
        if email != nil { audit.record(AuditEvent(.personChanged, reason: "email", person: person)) }
        return changed
    }

    /// Gives a person the password that the person chose, and ends all of the person's keys and sessions.
    ///
    /// Hashing takes a while. If an administrator gave another password, disabled the person or ended the session in between, that
    /// came first, and nothing is changed.
    ///
    /// - Parameters:
    ///   - password: Must keep ``policy``.
    ///   - proved: Whose it is, as read when the person was proved to be the one who asks.
    ///   - session: The session that asks.
    ///   - keepingSession: Whether that session goes on.
    ///   - isForced: Whether it is the one that the person had to choose: then the duty ends.
    /// - Returns: The person as stored.
    /// - Throws: As ``setPassword(_:of:mustChange:by:)``; ``GatewayError/Code/unknownPerson`` when nothing was changed.
    func choosePassword(
        _ password: Secret, of proved: Person, by session: SessionID, keepingSession: Bool = true, isForced: Bool
    ) async throws -> Person {
        try policy.check(password)
        let hash = try await hasher.hash(password).rawValue
        let (now, person) = (now(), proved.id)
        let changed = try await database.write { connection throws(DatabaseError) -> Person? in
            let changed = try connection.first(
                PeopleStatements.choosePassword, hash, isForced, now, person, proved.sessionEpoch, session.rawValue)
            guard let changed else { return nil }
            try connection.run(
                SessionStatements.endOthers, now, SessionEndReason.passwordChanged.rawValue, person,
                keepingSession ? session.rawValue : "")
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return changed
        }
        guard let changed else { throw GatewayError.changedMeanwhile }
        noteSessionsEnded(of: person)
        audit.record(
            AuditEvent(.passwordChanged, reason: "by-the-person", person: person, actor: person, session: session))
        return changed
    }

    /// Takes all of a person's identities away and ends the keys; the sessions stay as they are.
    ///
    /// - Returns: How many there were.
    func unlinkAll(_ person: UUID) async throws -> Int {
        let now = now()
        let count = try await database.write { connection in
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return try connection.run(IdentityStatements.unlinkAll, person)
        }
        noteSessionsEnded(of: person)
        if count > 0 { audit.record(AuditEvent(.identityUnlinked, reason: "by-the-person", person: person)) }
        return count
    }

    private static let gone = GatewayError(.unknownPerson, "This person is not there any more.")

    /// Whether a password is the one that a person has; false for somebody without one.
    func isPassword(_ password: Secret, of person: Person) async throws -> Bool {
        let email = person.email
        let credential = try await database.read { try $0.first(PeopleStatements.credential, email) }
        guard let hash = credential?.hash else { return false }
        return try await hasher.verify(password, against: hash, mayEnter: true)
    }
}
