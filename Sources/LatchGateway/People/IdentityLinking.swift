import Database
import FoundationEssentials
import OpenIDConnect
import Primitives

/// An identity that may become somebody's, decided and done inside one transaction.
struct IdentityLinking: Sendable {
    /// What became of it.
    enum Outcome: Sendable {
        /// It was somebody's meanwhile.
        case known(Person)
        /// It was linked to somebody who was there; a password and what else nobody proved was taken away.
        case linked(Person, droppedPassword: Bool)
        /// Somebody was made for it.
        case made(Person)
        /// Its address is somebody's who is disabled.
        case disabled(Person)
        /// Its address is somebody's who was signed out since the provider said who it is.
        case signedOut
        /// The provider does not vouch for the address.
        case unverified
        /// The address cannot be one.
        case invalidEmail(GatewayError)
        /// Nobody has the address, and nobody is to be made.
        case notInvited
        /// Somebody has the address and must not be linked by it.
        case refused
        /// Somebody has the address who is somebody else at the provider.
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
    private let now: Date

    init(_ identity: ProviderIdentity, at provider: ProviderConfiguration, toldAt moment: Date, now: Date) {
        self.identity = identity
        self.provider = provider
        self.moment = moment
        self.now = now
    }

    /// Decides whose the identity is and links it. An identity that stays unlinked is stored for an administrator.
    func run(_ connection: Connection) throws(DatabaseError) -> Outcome {
        let outcome = try decide(connection)
        guard outcome.isLinkable else { return outcome }
        try connection.run(
            UnlinkedIdentityStatements.note, provider.id, identity.issuer, identity.subject,
            identity.email.flatMap { $0.displayName(limit: 320) }, name, now)
        try connection.run(UnlinkedIdentityStatements.trim, UnlinkedIdentity.capacity)
        return outcome
    }

    private func decide(_ connection: Connection) throws(DatabaseError) -> Outcome {
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
        return try link(candidate, email, connection)
    }

    private func link(
        _ candidate: LinkCandidate, _ email: EmailAddress, _ connection: Connection
    ) throws(DatabaseError) -> Outcome {
        let person = candidate.person
        guard person.isActive else { return .disabled(person) }
        guard try connection.first(PeopleStatements.isSignedOut, moment, person.id) != true else { return .signedOut }
        let takesInvited = provider.invitedOnly || provider.allowsRegistration
        let mayLink = provider.linksByEmail || candidate.isInvited && takesInvited
        guard !candidate.isLinkedAlready || candidate.isDoubtful && mayLink else { return .taken }
        guard mayLink else { return .refused }
        if candidate.isDoubtful {
            try connection.run(IdentityStatements.unlinkAll, person.id)
            try connection.run(IdentityStatements.dropPassword, person.id)
            try connection.run(PINStatements.delete, person.id)
            try connection.run(
                SessionStatements.endAll, now, SessionEndReason.passwordChanged.rawValue, person.id)
            try connection.run(APIKeyStatements.revokeAll, now, person.id)
        }
        try insertIdentity(of: person.id, email, connection)
        let verified = try connection.first(IdentityStatements.verify, name, person.id)
        return .linked(verified ?? person, droppedPassword: candidate.isDoubtful)
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
