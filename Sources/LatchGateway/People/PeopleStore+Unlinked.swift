import Database
import FoundationEssentials
import OpenIDConnect

/// Identities that are linked to no person.
extension PeopleStore {
    /// Unlinked identities, the last seen first; at most `limit`.
    public func unlinkedIdentities(limit: Int) async throws -> [UnlinkedIdentity] {
        try await database.read { try $0.all(UnlinkedIdentityStatements.last, limit) }
    }

    /// The unlinked identity with this id; nil when it was deleted or linked.
    func unlinkedIdentity(_ id: Int) async throws -> UnlinkedIdentity? {
        try await database.read { try $0.first(UnlinkedIdentityStatements.byID, id) }
    }

    /// Whether a person has no way to sign in yet: an invitation that was not accepted.
    func isInvited(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(IdentityStatements.hasNoWay, person) } ?? false
    }

    /// Deletes unlinked identities that were last seen longer ago than `age`.
    func purgeUnlinkedIdentities(olderThan age: Duration) async throws {
        let limit = now() - age
        _ = try await database.write { try $0.run(UnlinkedIdentityStatements.purge, limit) }
    }

    /// The error for a subject that no sign-in has had. Its message lists subjects that recent sign-ins had.
    func unknownSubject(_ subject: String, at provider: ProviderConfiguration) async throws -> GatewayError {
        let seen = try await unlinkedIdentities(limit: UnlinkedIdentity.capacity)
            .filter { $0.provider == provider.id && $0.issuer == provider.settings.issuer }.prefix(5)
            .map { "'\($0.subject)'" + ($0.email.map { " (\($0))" } ?? "") }
        let who = seen.isEmpty ? "Nobody unlinked has." : "Lately did: \(seen.joined(separator: ", "))."
        return GatewayError(
            .unknownIdentity,
            "Nobody has signed in at '\(provider.id)' with the subject '\(subject)'. \(who) "
                + "Have the person try to sign in once, or give --force.")
    }
}
