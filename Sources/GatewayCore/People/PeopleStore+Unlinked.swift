import Database
package import FoundationEssentials
import OpenIDConnect

/// Identities that are linked to no person.
extension PeopleStore {
    /// Returns at most `limit` unlinked identities, the most recently seen first.
    package func unlinkedIdentities(limit: Int) async throws -> [UnlinkedIdentity] {
        try await database.read { try $0.all(UnlinkedIdentityStatements.last, limit) }
    }

    /// Returns the unlinked identity with this id; nil when it was deleted or linked.
    package func unlinkedIdentity(_ id: Int) async throws -> UnlinkedIdentity? {
        try await database.read { try $0.first(UnlinkedIdentityStatements.byID, id) }
    }

    /// Whether a person has no way to sign in yet, because an invitation was not accepted.
    package func isInvited(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(IdentityStatements.hasNoWay, person) } ?? false
    }

    /// Deletes unlinked identities that were last seen longer ago than `age`.
    package func purgeUnlinkedIdentities(olderThan age: Duration) async throws {
        let limit = now() - age
        _ = try await database.write { try $0.run(UnlinkedIdentityStatements.purge, limit) }
    }

    /// Returns the error for a subject that has not signed in. Its message lists subjects of recent sign-ins.
    func unknownSubject(_ subject: String, at provider: ProviderConfiguration) async throws -> GatewayError {
        let seen = try await unlinkedIdentities(limit: UnlinkedIdentity.capacity)
            .filter { $0.provider == provider.id && $0.issuer == provider.settings.issuer }.prefix(5)
            .map { "'\($0.subject)'" + ($0.email.map { " (\($0))" } ?? "") }
        let recent =
            seen.isEmpty
            ? "No unlinked identity has signed in there."
            : "Unlinked identities that have signed in there: \(seen.joined(separator: ", "))."
        return GatewayError(
            .unknownIdentity,
            "No identity at '\(provider.id)' with the subject '\(subject)' has signed in. \(recent) "
                + "Ask the person to sign in once, or use --force.")
    }
}
