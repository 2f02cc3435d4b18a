import Database
public import FoundationEssentials
public import OpenIDConnect

extension PeopleStore {
    /// The person whom an identity provider has signed in.
    ///
    /// It is the one that the identity was linked to. An identity that is seen for the first time is linked to the person
    /// with its e-mail address when the provider has verified that and `linksByEmail` says so, or the person was invited
    /// and the provider lets invited people in; else a person is made for it, when `allowsRegistration` says so. A person
    /// has one identity at a provider: another one with the same address is somebody else.
    ///
    /// Whoever has an address that nobody proved may be somebody who waits for its owner. When the owner is linked, what that
    /// person had is taken away: password, PIN and identities; the sessions and keys end.
    ///
    /// All of it is one transaction: two first sign-ins of one person at once make one person.
    ///
    /// - Parameters:
    ///   - identity: Who came.
    ///   - provider: The provider as it is configured.
    ///   - renewingGroups: Whether the identity's groups take the place of those known before.
    ///   - moment: When the provider said who it is, where that was not just now. A person who was signed out everywhere at that
    ///     time or later is not found by it.
    /// - Returns: The person.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/personDisabled``, ``GatewayError/Code/domainRefused``,
    ///   ``GatewayError/Code/emailUnverified``, ``GatewayError/Code/notInvited``, ``GatewayError/Code/identityRefused``,
    ///   ``GatewayError/Code/invalidEmail`` or ``GatewayError/Code/signedOut``.
    ///
    /// Source: OpenID Connect Core §5.7 for issuer and subject; OX-3, OX-7.
    public func person(
        for identity: ProviderIdentity, at provider: ProviderConfiguration, renewingGroups: Bool = true,
        toldAt moment: Date = .distantFuture
    ) async throws -> Person {
        try checkDomain(identity, at: provider)
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
        let linking = IdentityLinking(identity, at: provider, toldAt: moment, now: now())
        let outcome = try await database.write { connection throws(DatabaseError) in try linking.run(connection) }
        return try settle(outcome, linking)
    }

    /// Whether an identity is somebody's here already.
    func knows(_ identity: ProviderIdentity, at provider: ProviderConfiguration) async throws -> Bool {
        try await database.read { connection in
            try connection.first(IdentityStatements.person, provider.id, identity.issuer, identity.subject)
        } != nil
    }

    /// The domain is asked for at every sign-in: whoever left it does not come in any more.
    private func checkDomain(_ identity: ProviderIdentity, at provider: ProviderConfiguration) throws(GatewayError) {
        guard !provider.domains.isEmpty else { return }
        guard let text = identity.email, identity.isEmailVerified else { throw Self.unverified(identity, provider) }
        let domain = EmailAddress(normalizing: text).text.split(separator: "@", omittingEmptySubsequences: false)
        guard domain.count == 2,
            provider.domains.contains(where: { ExactText(ExactText.lowercasingASCII($0)) == ExactText(domain[1]) })
        else {
            throw GatewayError(
                .domainRefused, "The domain of the person's e-mail address is not in providers.\(provider.id).domains.")
        }
    }

    /// Keeps the groups that the provider tells now. Sessions in memory are forgotten when they are others than before, so
    /// that the next request of each sees them.
    private func renewGroups(
        of person: Person, _ identity: ProviderIdentity, at provider: ProviderConfiguration
    ) async throws {
        let groups = IdentityGroups.write(identity.groups)
        let kept = try await database.read { connection in
            try connection.first(IdentityStatements.groups, provider.id, identity.issuer, identity.subject)
        }
        guard kept != groups else { return }
        _ = try await database.write { connection in
            try connection.run(
                IdentityStatements.setGroups, groups, provider.id, identity.issuer, identity.subject)
        }
        noteSessionsEnded(of: person.id)
    }

    private func active(_ person: Person, _ provider: ProviderConfiguration) throws(GatewayError) -> Person {
        guard person.isActive else {
            throw GatewayError(.personDisabled, "The person who came through '\(provider.id)' is disabled.")
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
            noteSomebody()
            audit.record(AuditEvent(.registered, provider: provider.id, person: person.id))
            return person
        case .linked(let person, let droppedPassword):
            if droppedPassword {
                noteSessionsEnded(of: person.id)
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
                "Nobody here has the e-mail address of the person who came through '\(provider.id)'; "
                    + "invite them with 'latchd user add --invite', or see providers.\(provider.id).registration.")
        case .refused:
            throw GatewayError(
                .identityRefused,
                "Somebody here has the e-mail address of the person who came through '\(provider.id)' and must not be "
                    + "linked by it; see providers.\(provider.id).link_by_email.")
        case .taken:
            throw GatewayError(
                .identityRefused,
                "Somebody here has the e-mail address of the person who came through '\(provider.id)' and is somebody else "
                    + "there; if the account there was replaced, run 'latchd user unlink'.")
        }
    }

    private static let signedOut = GatewayError(
        .signedOut, "The person was signed out since the identity provider said who it is.")

    private static func unverified(_ identity: ProviderIdentity, _ provider: ProviderConfiguration) -> GatewayError {
        let problem =
            identity.email == nil
            ? "'\(provider.id)' tells no e-mail address of the person: have it send 'email', which the scope 'email' asks for."
            : "'\(provider.id)' does not say that it has verified the person's e-mail address: have it send "
                + "'email_verified'; docs/identity-providers.md says where that is set."
        // Linking does not help where the address is asked for at every sign-in.
        let advice =
            provider.domains.isEmpty
            ? "Or say who it is here, with 'latchd user link'."
            : "providers.\(provider.id).domains asks for it at every sign-in, of linked identities too."
        return GatewayError(.emailUnverified, "\(problem) \(advice)")
    }
}

extension PeopleStore {
    /// The identities of everybody, by person.
    public func identities() async throws -> [UUID: [PersonIdentity]] {
        Dictionary(grouping: try await database.read { try $0.all(IdentityStatements.all) }, by: \.person)
    }

    /// The identities of a person.
    public func identities(of person: UUID) async throws -> [PersonIdentity] {
        try await database.read { try $0.all(IdentityStatements.ofPerson, person) }
    }

    /// Whether a person has a password; false for nobody.
    public func hasPassword(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(IdentityStatements.hasPassword, person) } ?? false
    }

    /// Everybody who has a password.
    public func idsWithPassword() async throws -> Set<UUID> {
        Set(try await database.read { try $0.all(IdentityStatements.withPassword) })
    }

    /// Makes an identity a person's, as an administrator says; for providers that do not say whether they have verified an
    /// e-mail address.
    ///
    /// - Parameters:
    ///   - person: Whose it is.
    ///   - subject: The person's name at the provider, `sub`.
    ///   - provider: The provider as it is configured.
    ///   - evenUnseen: Whether to link a subject that no sign-in has had yet. Such a subject may be mistyped.
    ///   - actor: The administrator who links on a page, for the audit log.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson``, ``GatewayError/Code/unknownIdentity``, or
    ///   ``GatewayError/Code/identityRefused`` when the identity is linked already, or the person has another identity at the
    ///   provider.
    public func link(
        _ person: UUID, to subject: String, at provider: ProviderConfiguration, evenUnseen: Bool = false,
        by actor: UUID? = nil
    ) async throws {
        guard (1...255).contains(subject.utf8.count) else {
            throw GatewayError(.identityRefused, "The name at '\(provider.id)' must have 1 to 255 bytes.")
        }
        let now = now()
        let issuer = provider.settings.issuer
        let isSeen = try await database.read {
            try $0.first(UnlinkedIdentityStatements.isKnown, provider.id, issuer, subject) ?? false
        }
        guard isSeen || evenUnseen else { throw try await unknownSubject(subject, at: provider) }
        let count = try await database.write { connection -> Int? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            return try connection.run(IdentityStatements.link, provider.id, issuer, subject, now, person)
        }
        guard let count else { throw GatewayError(.unknownPerson, "This person is not there any more.") }
        guard count == 1 else {
            throw GatewayError(
                .identityRefused,
                "This identity at '\(provider.id)' is somebody's, or the person is somebody there, already; see "
                    + "'latchd user list --json' and 'latchd user unlink'.")
        }
        audit.record(AuditEvent(.identityLinked, provider: provider.id, person: person, actor: actor))
    }

    /// Takes a person's identities at a provider away and ends all of the person's sessions and keys.
    ///
    /// - Returns: How many there were.
    /// - Throws: ``GatewayError/Code/lastAdministrator`` when no administrator could sign in then.
    @discardableResult
    public func unlink(_ person: UUID, from provider: String) async throws -> Int {
        let now = now()
        let count = try await database.write { connection throws(DatabaseError) -> Int? in
            guard try connection.first(PeopleStatements.mayUnlink, provider, person) != false else { return nil }
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
        noteSessionsEnded(of: person)
        audit.record(AuditEvent(.identityUnlinked, provider: provider, person: person))
        return count
    }
}
