import Database
package import FoundationEssentials
package import OpenIDConnect
import Primitives

extension PeopleStore {
    /// Returns the person that an identity provider has signed in.
    ///
    /// For a linked identity this is its person. An identity that is seen for the first time is linked to the person
    /// with its e-mail address, if the provider has verified the address. This also requires that `linksByEmail` is
    /// set, or that the person was invited and the provider accepts invited people. If the address is unknown, a person
    /// is created if `allowsRegistration` is set. A person has at most one identity at a provider; another identity
    /// with the same address is refused.
    ///
    /// An account with an unproved address may belong to another person, who registered before the owner of the
    /// address. The same holds for an account that only providers without `linksByEmail` lead to. When the owner's identity
    /// is linked, the name, password, PIN and identities of the account and what it allowed apps are removed, and its
    /// sessions and keys end.
    ///
    /// The decision, the new person and the link are one transaction, so that two simultaneous first sign-ins of a
    /// person create one person.
    ///
    /// - Parameters:
    ///   - identity: The identity that signed in.
    ///   - provider: The configuration of the provider.
    ///   - renewingGroups: Whether the identity's groups replace the stored ones.
    ///   - moment: When the provider identified the person. A person who was signed out everywhere at or after this
    ///     time is refused. Default: the distant future, no refusal.
    /// - Returns: The person.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/personDisabled``, ``GatewayError/Code/domainRefused``,
    ///   ``GatewayError/Code/emailUnverified``, ``GatewayError/Code/notInvited``,
    ///   ``GatewayError/Code/identityRefused``, ``GatewayError/Code/invalidEmail`` or ``GatewayError/Code/signedOut``.
    ///
    /// Source: OpenID Connect Core §5.7 for issuer and subject; OX-3, OX-7.
    package func person(
        for identity: ProviderIdentity, at provider: ProviderConfiguration, renewingGroups: Bool = true,
        identifiedAt moment: Date = .distantFuture
    ) async throws -> Person {
        try checkDomain(identity, at: provider)
        // Most sign-ins are by known identities and need no write.
        let known = try await database.read { connection -> (person: Person, isSignedOut: Bool)? in
            try connection.first(IdentityStatements.person, provider.id, identity.issuer, identity.subject).map {
                ($0, try connection.first(PeopleStatements.isSignedOut, moment, $0.id) == true)
            }
        }
        if let known {
            let person = try active(known.person, provider)
            guard !known.isSignedOut else { throw Self.signedOut }
            if renewingGroups { try await renewGroups(of: person, identity, at: provider) }
            return person
        }
        let linking = IdentityLinking(
            identity, at: provider, identifiedAt: moment, signIn, now: now())
        let outcome = try await database.write { connection throws(DatabaseError) in try linking.run(connection) }
        return try settle(outcome, linking)
    }

    /// Whether an identity is linked to a person.
    package func knows(_ identity: ProviderIdentity, at provider: ProviderConfiguration) async throws -> Bool {
        try await database.read { connection in
            try connection.first(IdentityStatements.person, provider.id, identity.issuer, identity.subject)
        } != nil
    }

    /// Checks the domain of the e-mail address. This is done at every sign-in, so that a person who has left the domain
    /// can no longer sign in.
    private func checkDomain(_ identity: ProviderIdentity, at provider: ProviderConfiguration) throws(GatewayError) {
        guard !provider.domains.isEmpty else { return }
        guard let text = identity.email, identity.isEmailVerified else { throw Self.unverified(identity, provider) }
        let domain = EmailAddress(normalizing: text).text.split(atByte: "@", omittingEmptySubsequences: false)
        guard domain.count == 2,
            provider.domains.contains(where: { ExactText($0.lowercasedASCII) == ExactText(domain[1]) })
        else {
            throw GatewayError(
                .domainRefused, "The domain of the person's e-mail address is not in providers.\(provider.id).domains.")
        }
    }

    /// Stores the groups that the provider sent. If they changed, cached sessions of the person are invalidated, so
    /// that the next request of each session reads them.
    private func renewGroups(
        of person: Person, _ identity: ProviderIdentity, at provider: ProviderConfiguration
    ) async throws {
        let groups = IdentityGroups.write(identity.groups)
        let stored = try await database.read { connection in
            try connection.first(IdentityStatements.groups, provider.id, identity.issuer, identity.subject)
        }
        guard stored.map({ ExactText($0) }) != ExactText(groups) else { return }
        _ = try await database.write { connection in
            try connection.run(
                IdentityStatements.setGroups, groups, provider.id, identity.issuer, identity.subject)
        }
        cachedPersonChanged(person.id)
    }

    /// Stores whether each of these providers links accounts by address. That decides about its identities after it was
    /// removed.
    package func recordTrust(in providers: [ProviderConfiguration]) async throws {
        let changed = try await database.read { connection in
            let stored = try connection.all(IdentityStatements.trust)
            return providers.filter { provider in
                !stored.contains { $0.key == provider.providerKey && $0.linksByEmail == provider.linksByEmail }
            }
        }
        guard !changed.isEmpty else { return }
        try await database.write { connection in
            for provider in changed {
                try connection.run(
                    IdentityStatements.setTrust, provider.id, provider.settings.issuer, provider.linksByEmail)
            }
        }
    }

    /// Deletes the groups of all providers that are not among these or whose groups are not read. Nobody would update
    /// them, so people would stay members. They are stored again at the next sign-in through such a provider
    /// after it is configured again.
    ///
    /// - Returns: The number of identities that had such groups.
    package func deleteGroups(exceptOf providers: [ProviderConfiguration]) async throws -> Int {
        let others = try await database.read { try $0.all(IdentityStatements.providersWithGroups) }.filter { stored in
            !providers.contains {
                ExactText($0.id) == ExactText(stored.id) && $0.settings.groupsClaim != nil
                    && ExactText($0.settings.issuer) == ExactText(stored.issuer)
            }
        }
        // Most starts have nothing to delete.
        guard !others.isEmpty else { return 0 }
        return try await database.write { connection in
            try others.reduce(0) { try $0 + connection.run(IdentityStatements.deleteGroups, $1.id, $1.issuer) }
        }
    }

    private func active(_ person: Person, _ provider: ProviderConfiguration) throws(GatewayError) -> Person {
        guard person.isActive else {
            throw GatewayError(.personDisabled, "The person who signed in through '\(provider.id)' is disabled.")
        }
        return person
    }

    private func settle(_ outcome: IdentityLinking.Outcome, _ linking: IdentityLinking) throws -> Person {
        let provider = linking.provider
        switch outcome {
        case .known(let person): return try active(person, provider)
        case .disabled(let person): return try active(person, provider)
        case .signedOut: throw Self.signedOut
        case .made(let person):
            setHasPeople()
            audit.record(AuditEvent(.registered, provider: provider.id, person: person.id))
            return person
        case .linked(let person, let droppedPassword):
            // The address may be verified now.
            cachedPersonChanged(person.id)
            if droppedPassword {
                audit.record(
                    AuditEvent(
                        .passwordChanged, reason: "removed-unproved", provider: provider.id, person: person.id))
            }
            audit.record(AuditEvent(.identityLinked, provider: provider.id, person: person.id))
            return person
        case .unverified: throw Self.unverified(linking.identity, provider)
        case .invalidEmail(let error): throw error
        case .notInvited:
            throw GatewayError(
                .notInvited,
                "No person has the e-mail address of the identity from '\(provider.id)'; invite the person with "
                    + "'latchd user add --invite', or see providers.\(provider.id).registration.")
        case .refused:
            throw GatewayError(
                .identityRefused,
                "A person has the e-mail address of the identity from '\(provider.id)', but must not be linked by it; "
                    + "see providers.\(provider.id).link_by_email.")
        case .taken:
            throw GatewayError(
                .identityRefused,
                "The person with the e-mail address of the identity from '\(provider.id)' is linked to another "
                    + "identity there; if the account there was replaced, run 'latchd user unlink'.")
        }
    }

    private static let signedOut = GatewayError(
        .signedOut, "The person was signed out after the identity provider had identified them.")

    private static func unverified(_ identity: ProviderIdentity, _ provider: ProviderConfiguration) -> GatewayError {
        let problem =
            identity.email == nil
            ? "'\(provider.id)' sent no e-mail address: configure it to send 'email', which the scope 'email' requests."
            : "'\(provider.id)' did not confirm that it has verified the person's e-mail address: configure it to send "
                + "'email_verified'; docs/identity-providers.md describes how."
        // Linking does not help if the address is required at every sign-in.
        let advice =
            provider.domains.isEmpty
            ? "Or link the identity to a person with 'latchd user link'."
            : "providers.\(provider.id).domains requires it at every sign-in, also of linked identities."
        return GatewayError(.emailUnverified, "\(problem) \(advice)")
    }
}

extension PeopleStore {
    /// Returns the identities of all people, grouped by person.
    package func identities() async throws -> [UUID: [PersonIdentity]] {
        Dictionary(grouping: try await database.read { try $0.all(IdentityStatements.all) }, by: \.person)
    }

    /// Returns the identities of a person.
    package func identities(of person: UUID) async throws -> [PersonIdentity] {
        try await database.read { try $0.all(IdentityStatements.ofPerson, person) }
    }

    /// Whether a person has a password. False if the person does not exist.
    package func hasPassword(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(IdentityStatements.hasPassword, person) } ?? false
    }

    /// Returns the ids of all people who have a password.
    package func idsWithPassword() async throws -> Set<UUID> {
        Set(try await database.read { try $0.all(IdentityStatements.withPassword) })
    }

    /// Links an identity to a person for an administrator. This is for providers that do not tell whether they have
    /// verified an e-mail address.
    ///
    /// An account whose address nobody has proved may belong to somebody who registered it before the owner of the
    /// address. `handling` says what happens to such an account.
    ///
    /// - Parameters:
    ///   - person: The id of the person.
    ///   - subject: The subject at the provider, `sub`.
    ///   - provider: The configuration of the provider.
    ///   - allowsUnseen: Whether to link a subject that has not signed in yet. Such a subject may be mistyped.
    ///   - handling: What happens to an account that may belong to another person than the owner of its address.
    ///   - actor: The administrator who links the identity on a page, for the audit log. Nil for a command.
    /// - Returns: Whether the sign-in methods of the account were removed.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson``, ``GatewayError/Code/unknownIdentity``,
    ///   ``GatewayError/Code/addressUnproved``, or ``GatewayError/Code/identityRefused`` when the identity is already
    ///   linked, or the person has another identity at the provider that stays.
    @discardableResult
    package func link(
        _ person: UUID, to subject: String, at provider: ProviderConfiguration, allowsUnseen: Bool = false,
        unproved handling: UnprovedAccountHandling = .refused, by actor: UUID? = nil
    ) async throws -> Bool {
        guard (1...255).contains(subject.utf8.count) else {
            throw GatewayError(.identityRefused, "The subject at '\(provider.id)' must have 1 to 255 bytes.")
        }
        let (now, ownership) = (now(), signIn.ownership)
        let issuer = provider.settings.issuer
        let isSeen = try await database.read {
            try $0.first(UnlinkedIdentityStatements.isKnown, provider.id, issuer, subject) ?? false
        }
        guard isSeen || allowsUnseen else { throw try await unknownSubject(subject, at: provider) }
        let isReplaced = try await database.write { connection -> Bool in
            guard let found = try connection.first(PeopleStatements.byID, person) else {
                throw GatewayError(.unknownPerson, "This person no longer exists.")
            }
            let isDoubtful = try handling != .kept && ownership.isDoubtful(found, connection)
            let isReplaced = isDoubtful && handling == .replaced
            guard !isDoubtful || isReplaced else { throw Self.unproved(found) }
            guard try connection.first(IdentityStatements.person, provider.id, issuer, subject) == nil else {
                throw Self.linkedAlready(provider)
            }
            if isReplaced {
                // Before the link, because it would remove the new identity too.
                try IdentityLinking.removeSignInMethods(of: person, at: now, connection)
                try connection.run(IdentityStatements.vouch, person)
            }
            guard try connection.run(IdentityStatements.link, provider.id, issuer, subject, now, person) == 1 else {
                throw Self.linkedAlready(provider)
            }
            return isReplaced
        }
        if isReplaced {
            cachedPersonChanged(person)
            audit.record(
                AuditEvent(
                    .passwordChanged, reason: "removed-unproved", provider: provider.id, person: person, actor: actor))
        }
        audit.record(AuditEvent(.identityLinked, provider: provider.id, person: person, actor: actor))
        return isReplaced
    }

    private static func linkedAlready(_ provider: ProviderConfiguration) -> GatewayError {
        GatewayError(
            .identityRefused,
            "This identity at '\(provider.id)' is already linked, or the person already has another identity "
                + "there; see 'latchd user list --json' and 'latchd user unlink'.")
    }

    private static func unproved(_ person: Person) -> GatewayError {
        GatewayError(
            .addressUnproved,
            "Could not link '\(person.email)': neither an administrator nor a provider that links accounts by address has "
                + "proved that this address belongs to the person who registered the account on "
                + "\(Timestamp.text(person.created).prefix(10)), who may be somebody else.")
    }

    /// Removes a person's identities at a provider, and ends all of the person's sessions and keys.
    ///
    /// - Returns: The number of identities removed.
    /// - Throws: ``GatewayError/Code/lastAdministrator`` when no administrator could sign in afterwards.
    @discardableResult
    package func unlink(_ person: UUID, from provider: String) async throws -> Int {
        let (now, signIn) = (now(), signIn)
        let count = try await database.write { connection throws(DatabaseError) -> Int? in
            let mayUnlink = try connection.first(
                PeopleStatements.mayUnlink, provider, person, signIn.acceptsPasswords, signIn.providers)
            guard mayUnlink != false else { return nil }
            // The identity can be linked to another person later.
            try connection.run(UnlinkedIdentityStatements.noteAll, now, person, provider)
            let count = try connection.run(IdentityStatements.unlink, person, provider)
            guard count > 0 else { return 0 }
            try connection.run(SessionStatements.bumpEpoch, now, person)
            try connection.run(SessionStatements.endAll, now, SessionEndReason.revoked.rawValue, person)
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return count
        }
        guard let count else { throw Self.lastAdministrator }
        guard count > 0 else { return 0 }
        cachedPersonChanged(person)
        audit.record(AuditEvent(.identityUnlinked, provider: provider, person: person))
        return count
    }
}
