import Database
package import FoundationEssentials
import Primitives

/// Pages of people, and the administrator role.
extension PeopleStore {
    /// Returns at most `limit` people after an e-mail address, sorted by address. An empty `email` starts with the
    /// first person. `search` is a text that the address or name must contain, ignoring the case of ASCII letters;
    /// empty for everybody.
    package func page(search: String, after email: String, limit: Int) async throws -> [Person] {
        let text = search.lowercasedASCII
        return try await database.read { try $0.all(PeopleStatements.page, email, text, text, limit) }
    }

    /// Makes a person an administrator, or removes the role. The change applies immediately to the person's live
    /// sessions.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person does not exist;
    ///   ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    package func setAdministrator(_ isAdministrator: Bool, _ person: UUID, by actor: UUID) async throws -> Person {
        let signIn = signIn
        let outcome = try await database.write { connection throws(DatabaseError) -> Person?? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            return .some(
                try connection.first(
                    PeopleStatements.setAdministrator, isAdministrator, person, signIn.acceptsPasswords,
                    signIn.providers))
        }
        guard let found = outcome else { throw GatewayError(.unknownPerson, "This person no longer exists.") }
        guard let changed = found else { throw Self.lastAdministrator }
        // Cached sessions contain the person with the old role.
        cachedPersonChanged(person)
        audit.record(
            AuditEvent(isAdministrator ? .administratorMade : .administratorUnmade, person: person, actor: actor))
        return changed
    }
}
