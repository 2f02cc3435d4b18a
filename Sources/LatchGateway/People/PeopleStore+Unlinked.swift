import Database
import FoundationEssentials
import OpenIDConnect

/// Identities that are nobody's here yet.
extension PeopleStore {
    /// Whoever came from a provider and was nobody here, the last first; no more than `limit`.
    public func unlinkedIdentities(limit: Int) async throws -> [UnlinkedIdentity] {
        try await database.read { try $0.all(UnlinkedIdentityStatements.last, limit) }
    }

    /// One of them; nil when it is gone, as one that was linked is.
    func unlinkedIdentity(_ id: Int) async throws -> UnlinkedIdentity? {
        try await database.read { try $0.first(UnlinkedIdentityStatements.byID, id) }
    }

    /// Whether a person has no way to sign in yet: an invitation that nobody has taken up.
    func isInvited(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(IdentityStatements.hasNoWay, person) } ?? false
    }

    /// Forgets those that were not here for a while.
    func purgeUnlinkedIdentities(olderThan age: Duration) async throws {
        let limit = now() - age
        _ = try await database.write { try $0.run(UnlinkedIdentityStatements.purge, limit) }
    }

    /// Why a subject is not linked that nobody has come with, with those who did.
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
