package import Crypto
import Database
package import FoundationEssentials
import Primitives

/// The changes that a person makes to their own profile. Nil leaves a value unchanged.
package struct ProfileChange: Sendable {
    package var email: EmailAddress?
    package var name: String?
    package var avatarColor: String?

    /// Creates a change. A property that is nil stays as it is.
    package init(email: EmailAddress? = nil, name: String? = nil, avatarColor: String? = nil) {
        self.email = email
        self.name = name
        self.avatarColor = avatarColor
    }
}

extension PeopleStore {
    /// Changes a person's own profile.
    ///
    /// A new address is not proved. If an identity with this address is linked to the account later, the unproved
    /// password is removed.
    ///
    /// - Throws: ``GatewayError/Code/personExists`` when another person has the address;
    ///   ``GatewayError/Code/unknownPerson``.
    package func change(_ person: UUID, to change: ProfileChange) async throws -> Person {
        let email = change.email?.text
        let name = change.name.map { $0.displayName(limit: 200) ?? "" }
        let color = change.avatarColor
        let outcome = try await database.write { connection throws(DatabaseError) -> Person?? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            return .some(try connection.first(PeopleStatements.changeProfile, email, name, color, person))
        }
        guard let found = outcome else { throw Self.gone }
        guard let changed = found else {
            throw GatewayError(.personExists, "This e-mail address is already in use.")
        }
        // Cached sessions and keys contain the person, whose new address is not proved.
        cachedPersonChanged(person)
        if email != nil { audit.record(AuditEvent(.personChanged, reason: "email", person: person)) }
        return changed
    }

    /// Sets a password that the person chose. Ends the person's sessions, except `session` if it is kept, and all of
    /// the person's keys.
    ///
    /// Hashing takes time. If an administrator sets another password, disables the person or ends the session in the
    /// meantime, nothing is changed.
    ///
    /// - Parameters:
    ///   - password: The new password, which must satisfy ``policy``.
    ///   - proved: The person, as read when the person authenticated.
    ///   - session: The session that makes the request.
    ///   - keepingSession: Whether that session stays live.
    ///   - isForced: Whether the person was required to choose a password. The requirement ends then.
    /// - Returns: The person as stored.
    /// - Throws: The same errors as ``setPassword(_:of:mustChange:by:)``; ``GatewayError/Code/unknownPerson`` when
    ///   nothing was changed.
    package func choosePassword(
        _ password: Secret, of proved: Person, by session: SessionID, keepingSession: Bool = true, isForced: Bool
    ) async throws -> Person {
        try policy.check(password)
        let hash = try await hasher.hash(password, for: .person(proved.id)).rawValue
        let (now, person) = (now(), proved.id)
        let changed = try await database.write { connection throws(DatabaseError) -> Person? in
            let changed = try connection.first(
                PeopleStatements.choosePassword, hash, isForced, now, person, proved.sessionEpoch, session.rawValue)
            guard let changed else { return nil }
            // No session has an empty id, so with an empty id all of them end.
            try connection.run(
                SessionStatements.endOthers, now, SessionEndReason.passwordChanged.rawValue, person,
                keepingSession ? session.rawValue : "")
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return changed
        }
        guard let changed else { throw GatewayError.changedMeanwhile }
        cachedPersonChanged(person)
        audit.record(
            AuditEvent(.passwordChanged, reason: "by-the-person", person: person, actor: person, session: session))
        return changed
    }

    /// Removes all of a person's identities and revokes the person's keys. Sessions stay live.
    ///
    /// - Returns: The number of identities removed.
    package func unlinkAll(_ person: UUID) async throws -> Int {
        let now = now()
        let count = try await database.write { connection in
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return try connection.run(IdentityStatements.unlinkAll, person)
        }
        // Cached sessions contain the groups of these identities, and the revoked keys are cached too.
        cachedPersonChanged(person)
        if count > 0 { audit.record(AuditEvent(.identityUnlinked, reason: "by-the-person", person: person)) }
        return count
    }

    private static let gone = GatewayError(.unknownPerson, "This person no longer exists.")

    /// Whether a password is correct for a person. False for a person without a password.
    package func isPassword(_ password: Secret, of person: Person) async throws -> Bool {
        let email = person.email
        let credential = try await database.read { try $0.first(PeopleStatements.credential, email) }
        // The caller is signed in as this person, so the time of this response reveals nothing to others.
        guard let hash = credential?.hash else { return false }
        return try await hasher.verify(password, against: hash, mayEnter: true, for: .person(person.id))
    }
}
