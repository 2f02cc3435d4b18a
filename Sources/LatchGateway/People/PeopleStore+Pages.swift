import Database
import FoundationEssentials

/// People page by page, and who administers.
extension PeopleStore {
    /// People by e-mail address, behind one or from the first; with a text somewhere in address or name, in either case of ASCII,
    /// or everybody.
    func page(search: String, after email: String, limit: Int) async throws -> [Person] {
        let text = ExactText.lowercasingASCII(search)
        return try await database.read { try $0.all(PeopleStatements.page, email, text, text, limit) }
    }

    /// Makes a person an administrator, or not any more; on their devices at once.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person is gone; ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    func setAdministrator(_ isAdministrator: Bool, _ person: UUID, by actor: UUID) async throws -> Person {
        let outcome = try await database.write { connection throws(DatabaseError) -> Person?? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            return .some(try connection.first(PeopleStatements.setAdministrator, isAdministrator, person))
        }
        guard let found = outcome else { throw GatewayError(.unknownPerson, "This person is not there any more.") }
        guard let changed = found else { throw Self.lastAdministrator }
        // Sessions in memory hold the person as it was.
        noteSessionsEnded(of: person)
        audit.record(
            AuditEvent(isAdministrator ? .administratorMade : .administratorUnmade, person: person, actor: actor))
        return changed
    }
}
