import Database
import Primitives

/// Decides whether an account belongs to the owner of its e-mail address.
struct AddressOwnership: Sendable {
    /// The configured providers whose verified addresses prove to whom an account belongs: those that link by address.
    var linkingProviders: Set<ConfiguredSignIn.ProviderKey>
    /// The other configured providers.
    let otherProviders: Set<ConfiguredSignIn.ProviderKey>

    /// Whether the account may belong to another person than the owner of the address: nobody has proved the address, or
    /// only providers that may not link by address. What such a provider says about an address counts for new accounts and
    /// invitations, and not for those of people who sign in elsewhere.
    ///
    /// Only identities that were linked by the account's address count. Anybody who uses the account can have linked the
    /// others. The configuration of the provider decides. If it was removed or has another issuer, its last one counts.
    func isDoubtful(_ person: Person, _ connection: Connection) throws(DatabaseError) -> Bool {
        guard person.hasProvedAddress else { return true }
        let identities = try connection.all(IdentityStatements.ofPerson, person.id)
        guard !identities.isEmpty else { return false }
        let email = ExactText(person.email)
        let stored = try connection.all(IdentityStatements.trust)
        let trust = identities.filter { $0.email.map { ExactText($0) } == email }.map { linksByEmail($0, stored) }
        guard !trust.contains(true) else { return false }
        // Of an account that an administrator added, such a provider may have taken the invitation.
        return !person.isVouched || trust.contains(false)
    }

    /// Whether the provider of an identity links by address, or did so when it was last configured. If that is not
    /// known, a configured provider with the same id decides. Nil when there is none.
    private func linksByEmail(
        _ identity: PersonIdentity, _ stored: [(key: ConfiguredSignIn.ProviderKey, linksByEmail: Bool)]
    ) -> Bool? {
        let key = identity.providerKey
        if linkingProviders.contains(key) { return true }
        if otherProviders.contains(key) { return false }
        if let last = stored.first(where: { $0.key == key }) { return last.linksByEmail }
        if linkingProviders.contains(where: { $0.id == key.id }) { return true }
        return otherProviders.contains { $0.id == key.id } ? false : nil
    }
}
