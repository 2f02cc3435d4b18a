import Database
package import FoundationEssentials
import Primitives

extension PeopleStore {
    /// Changes a person's display name. A blank or nil name removes it.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person does not exist.
    @discardableResult
    package func rename(_ person: UUID, to name: String?) async throws -> Person {
        let name = name.flatMap { $0.displayName(limit: 200) }
        guard let renamed = try await database.write({ try $0.first(Self.rename, name, person) }) else {
            throw GatewayError(.unknownPerson, "This person no longer exists.")
        }
        // Cached sessions and keys contain the person.
        cachedPersonChanged(person)
        return renamed
    }

    static let rename = Statement(
        "UPDATE people SET name = ? WHERE id = ? RETURNING \(PeopleStatements.columns)", String?.self, UUID.self,
        row: PeopleStatements.person)
}
