import Database
import FoundationEssentials
import Primitives

extension PeopleStore {
    /// Gives a person another name to show; blank or nil takes it away.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson``.
    @discardableResult
    func rename(_ person: UUID, to name: String?) async throws -> Person {
        let name = name.flatMap { $0.displayName(limit: 200) }
        guard let renamed = try await database.write({ try $0.first(Self.rename, name, person) }) else {
            throw GatewayError(.unknownPerson, "This person is not there any more.")
        }
        // Sessions and keys in memory hold the person.
        noteSessionsEnded(of: person)
        return renamed
    }

    private static let rename = Statement(
        "UPDATE people SET name = ? WHERE id = ? RETURNING \(PeopleStatements.columns)", String?.self, UUID.self,
        row: PeopleStatements.person)
}
