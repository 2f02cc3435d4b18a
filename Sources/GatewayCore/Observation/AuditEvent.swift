package import FoundationEssentials
import Primitives

/// An event for the audit log. It has no field for text that a person typed.
package struct AuditEvent: Sendable, Equatable {
    /// The kind of an event.
    package enum Kind: String, Sendable, CaseIterable {
        /// A person signed in.
        case signIn = "sign-in"
        /// A sign-in failed. `person` is nil when the e-mail address is unknown.
        case signInFailed = "sign-in-failed"
        /// A person registered.
        case registered
        /// A person signed out.
        case signedOut = "signed-out"
        /// A session, or all sessions of a person, were revoked.
        case revoked
        /// An account or an address was locked out for some time, because of too many failures.
        case lockedOut = "locked-out"
        /// A person was added.
        case personAdded = "person-added"
        /// A person's password was changed or removed.
        case passwordChanged = "password-changed"
        /// A person was disabled.
        case personDisabled = "person-disabled"
        /// A person was enabled.
        case personEnabled = "person-enabled"
        /// A person was removed.
        case personRemoved = "person-removed"
        /// A person became an administrator.
        case administratorMade = "administrator-made"
        /// A person is no longer an administrator.
        case administratorUnmade = "administrator-unmade"
        /// An identity at a provider was linked to a person.
        case identityLinked = "identity-linked"
        /// A person's identities were unlinked.
        case identityUnlinked = "identity-unlinked"
        /// An API key was created.
        case apiKeyMade = "api-key-made"
        /// An API key, or all keys of a person, were revoked.
        case apiKeyRevoked = "api-key-revoked"
        /// The server uses another certificate.
        case certificateReplaced = "certificate-replaced"
        /// The certificate was read again and is unchanged.
        case certificateReread = "certificate-reread"
        /// A person's profile was changed; the reason names the property.
        case personChanged = "person-changed"
        /// A person's PIN was set, changed or removed; the reason says which.
        case pinChanged = "pin-changed"
        /// A wrong PIN was typed.
        case pinFailed = "pin-failed"
        /// A session was unlocked with a PIN for some time.
        case sessionUnlocked = "session-unlocked"
        /// A key to sign tokens with was created.
        case signingKeyMade = "signing-key-made"
        /// A person allowed a client to sign in with the person's account.
        case clientAllowed = "client-allowed"
        /// A person did not allow a client on a device to sign in with the person's account.
        case clientDenied = "client-denied"
        /// A person withdrew what the person had allowed a client, or an administrator what everybody had.
        case clientWithdrawn = "client-withdrawn"
        /// A client was added.
        case clientAdded = "client-added"
        /// An administrator changed the settings of a client.
        case clientChanged = "client-changed"
        /// An administrator approved a client that registered itself.
        case clientApproved = "client-approved"
        /// An administrator refused a client that registered itself.
        case clientRefused = "client-refused"
        /// A client was removed.
        case clientRemoved = "client-removed"
        /// Requests of an address or a network are refused from now on.
        case addressBanned = "address-banned"
        /// A ban was removed.
        case banRemoved = "ban-removed"
    }

    /// The kind of an event.
    package var kind: Kind
    /// A fixed word with more detail, such as `wrong-password`.
    package var reason: String?
    /// The id of the identity provider that the person used.
    package var provider: String?
    /// The subject at the provider of a refused sign-in, in the form that `latchd user link` accepts.
    package var subject: String?
    /// The person that the event is about.
    package var person: UUID?
    /// The person who made the change on a page: the same person or an administrator. Nil when it was not made on a
    /// page.
    package var actor: UUID?
    /// The session's public id.
    package var session: SessionID?
    /// The client's address.
    package var address: String?
    /// The request's id.
    package var request: String?
    /// The client's device.
    package var device: SessionDevice?
    /// The length of a lock-out.
    package var duration: Duration?
    /// The SHA-256 of the certificate.
    package var certificate: String?
    /// When the certificate expires.
    package var expires: Date?
    /// The id of a signing key, or the public id of an API key.
    package var key: String?
    /// The id of a client of OAuth.
    package var client: String?

    /// Creates an event.
    package init(
        _ kind: Kind, reason: StaticString? = nil, provider: String? = nil, subject: String? = nil,
        person: UUID? = nil,
        actor: UUID? = nil, session: SessionID? = nil,
        address: String? = nil, request: String? = nil, device: SessionDevice? = nil, duration: Duration? = nil,
        certificate: String? = nil, expires: Date? = nil, key: String? = nil, client: String? = nil
    ) {
        self.kind = kind
        self.reason = reason?.description
        self.provider = provider
        self.subject = subject.flatMap(Self.shown)
        self.person = person
        self.actor = actor
        self.session = session
        self.address = address
        self.request = request
        self.device = device
        self.duration = duration
        self.certificate = certificate
        self.expires = expires
        self.key = key
        self.client = client.flatMap { $0.displayName(limit: 255) }
    }

    /// Returns a subject in the form that events contain.
    package static func shown(subject: String) -> String? {
        subject.displayName(limit: 255)
    }
}
