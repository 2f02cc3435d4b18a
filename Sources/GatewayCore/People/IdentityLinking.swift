import Database
import FoundationEssentials
import OpenIDConnect
import Primitives

/// Links an identity to a person, or creates a person for it. The decision and the change are in one transaction.
struct IdentityLinking: Sendable {
    /// The result of an attempt to link an identity.
    enum Outcome: Sendable {
        /// The identity is already linked to this person.
        case known(Person)
        /// The identity was linked to an existing person. If `droppedPassword` is true, the person's unproved password,
        /// PIN, identities, sessions, keys and consents were removed.
        case linked(Person, droppedPassword: Bool)
        /// A person was created for the identity.
        case made(Person)
        /// The person with the e-mail address is disabled.
        case disabled(Person)
        /// The person with the e-mail address was signed out everywhere after the provider identified the person.
        case signedOut
        /// The provider sent no verified e-mail address.
        case unverified
        /// The e-mail address is invalid.
        case invalidEmail(GatewayError)
        /// The e-mail address is unknown, and the configuration of the provider does not allow creating a person.
        case notInvited
        /// A person has the e-mail address, but the configuration of the provider does not allow linking by address.
        case refused
        /// The person with the e-mail address is linked to another identity at the provider.
        case taken

        /// Whether an administrator may link the identity to a person.
        var isLinkable: Bool {
            switch self {
            case .known, .linked, .made, .disabled, .signedOut: false
            case .unverified, .invalidEmail, .notInvited, .refused, .taken: true
            }
        }
    }

    let provider: ProviderConfiguration
    let identity: ProviderIdentity
    private let moment: Date
    private let ownership: AddressOwnership
    private let now: Date

    init(
        _ identity: ProviderIdentity, at provider: ProviderConfiguration, identifiedAt moment: Date,
        _ signIn: ConfiguredSignIn, now: Date
    ) {
        self.identity = identity
        self.provider = provider
        self.moment = moment
        var ownership = signIn.ownership
        if provider.linksByEmail { ownership.linkingProviders.insert(provider.providerKey) }
        self.ownership = ownership
        self.now = now
    }

    /// Finds or creates the person of the identity and links it. An identity that stays unlinked is stored, so that an
    /// administrator can link it.
    func run(_ connection: Connection) throws(DatabaseError) -> Outcome {
        let outcome = try decide(connection)
        guard outcome.isLinkable else { return outcome }
        try connection.run(
            UnlinkedIdentityStatements.record, provider.id, identity.issuer, identity.subject,
            identity.email.flatMap { $0.displayName(limit: 320) }, name, now)
        try connection.run(UnlinkedIdentityStatements.trim, UnlinkedIdentity.capacity)
        return outcome
    }

    private func decide(_ connection: Connection) throws(DatabaseError) -> Outcome {
        // A concurrent sign-in may have linked the identity since the read before this transaction.
        let known = try connection.first(IdentityStatements.person, provider.id, identity.issuer, identity.subject)
        if let known { return .known(known) }
        guard let text = identity.email, identity.isEmailVerified else { return .unverified }
        let email: EmailAddress
        do {
            email = try EmailAddress(text)
        } catch {
            return .invalidEmail(error)
        }
        let candidate = try connection.first(
            IdentityStatements.candidate, provider.id, identity.issuer, email.text)
        guard let candidate else { return try make(email, connection) }
        return try link(candidate, by: email, connection)
    }

    private func link(
        _ candidate: LinkCandidate, by email: EmailAddress, _ connection: Connection
    ) throws(DatabaseError) -> Outcome {
        let person = candidate.person
        guard person.isActive else { return .disabled(person) }
        guard try connection.first(PeopleStatements.isSignedOut, moment, person.id) != true else { return .signedOut }
        let mayLink = provider.linksByEmail || candidate.isInvited && provider.admitsInvited
        // An account without an identity needs no reads.
        let isDoubtful =
            candidate.hasIdentity ? try ownership.isDoubtful(person, connection) : !person.hasProvedAddress
        // The identities of a doubtful account are removed below, so they do not prevent the link.
        guard !candidate.isLinkedAlready || isDoubtful && mayLink else { return .taken }
        guard mayLink else { return .refused }
        if isDoubtful {
            // Before `insertIdentity`, because it would remove the new identity too.
            try Self.removeSignInMethods(of: person.id, at: now, connection)
        }
        try insertIdentity(of: person.id, email, connection)
        let verified = try connection.first(IdentityStatements.verify, name, person.id)
        return .linked(verified ?? person, droppedPassword: isDoubtful)
    }

    /// Removes the name, the password, the PIN and the identities of an account whose address nobody has proved, and what
    /// it allowed apps, ends its sessions and revokes its keys. Whoever registered the account keeps no access to it.
    static func removeSignInMethods(
        of person: UUID, at now: Date, _ connection: Connection
    ) throws(DatabaseError) {
        try connection.run(IdentityStatements.unlinkAll, person)
        try connection.run(IdentityStatements.dropPassword, person)
        try connection.run(PINStatements.delete, person)
        try connection.run(KnownAddressStatements.deleteAll, person)
        try connection.run(ClientStatements.removeConsentsOfPerson, person)
        try connection.run(SessionStatements.endAll, now, SessionEndReason.passwordChanged.rawValue, person)
        try connection.run(APIKeyStatements.revokeAll, now, person)
    }

    private func make(_ email: EmailAddress, _ connection: Connection) throws(DatabaseError) -> Outcome {
        guard provider.allowsRegistration, !provider.invitedOnly else { return .notInvited }
        let person = try connection.first(
            PeopleStatements.insert, UUID(), email.text, name, nil, false, false, false, now)
        guard let person else { return .refused }
        try insertIdentity(of: person.id, email, connection)
        return .made(try connection.first(IdentityStatements.verify, name, person.id) ?? person)
    }

    private func insertIdentity(
        of person: UUID, _ email: EmailAddress, _ connection: Connection
    ) throws(DatabaseError) {
        try connection.run(
            IdentityStatements.insert, provider.id, identity.issuer, identity.subject, person, email.text, now,
            IdentityGroups.write(identity.groups))
    }

    private var name: String? { identity.name.flatMap { $0.displayName(limit: 200) } }
}
