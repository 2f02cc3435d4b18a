public import FoundationEssentials
import Primitives

/// One thing that an auditor wants to know of. It has no room for what somebody typed.
public struct AuditEvent: Sendable, Equatable {
    /// What happened.
    public enum Kind: String, Sendable, CaseIterable {
        /// A person signed in.
        case signIn = "sign-in"
        /// Somebody failed to; `person` is nil when nobody has the e-mail address that was typed.
        case signInFailed = "sign-in-failed"
        /// A person registered.
        case registered
        /// A person signed out.
        case signedOut = "signed-out"
        /// An administrator ended a session, or all of a person.
        case revoked
        /// Too many failures locked an account, or an address, out for a while.
        case lockedOut = "locked-out"
        /// A person was added.
        case personAdded = "person-added"
        /// A person got another password from an administrator.
        case passwordChanged = "password-changed"
        /// A person was disabled.
        case personDisabled = "person-disabled"
        /// A person was enabled.
        case personEnabled = "person-enabled"
        /// A person was removed.
        case personRemoved = "person-removed"
        /// A person administers the server from now on.
        case administratorMade = "administrator-made"
        /// A person does not administer the server any more.
        case administratorUnmade = "administrator-unmade"
        /// An identity at a provider is a person's from now on.
        case identityLinked = "identity-linked"
        /// A person's identities at a provider were taken away.
        case identityUnlinked = "identity-unlinked"
        /// A person made a key for a program.
        case apiKeyMade = "api-key-made"
        /// A key, or all of a person, was revoked.
        case apiKeyRevoked = "api-key-revoked"
        /// The server shows another certificate.
        case certificateReplaced = "certificate-replaced"
        /// The certificate was read again and is the same.
        case certificateReread = "certificate-reread"
        /// A person changed what others know the person by; the reason says what.
        case personChanged = "person-changed"
        /// A person's PIN was set, changed or removed; the reason says which.
        case pinChanged = "pin-changed"
        /// Somebody typed a wrong PIN.
        case pinFailed = "pin-failed"
        /// A session may see what is locked from now on, for a while.
        case sessionUnlocked = "session-unlocked"
        /// There is another key to sign tokens with.
        case signingKeyMade = "signing-key-made"
    }

    /// What happened.
    public var kind: Kind
    /// More about it: a fixed word such as `wrong-password`.
    public var reason: String?
    /// The id of the identity provider that the person came through.
    public var provider: String?
    /// The subject at the provider of a refused sign-in, as `latchd user link` takes it.
    public var subject: String?
    /// The person whom it is about.
    public var person: UUID?
    /// Who did it to the person, where that was done on a page: the person, or an administrator.
    public var actor: UUID?
    /// The session's public id.
    public var session: SessionID?
    /// The client's address.
    public var address: String?
    /// The request's id.
    public var request: String?
    /// The device.
    public var device: SessionDevice?
    /// How long, for a lock-out.
    public var duration: Duration?
    /// The SHA-256 of the certificate.
    public var certificate: String?
    /// When the certificate expires.
    public var expires: Date?
    /// The name of a signing key, or the public id of a program's key.
    public var key: String?

    /// Makes an event.
    public init(
        _ kind: Kind, reason: StaticString? = nil, provider: String? = nil, subject: String? = nil,
        person: UUID? = nil,
        actor: UUID? = nil, session: SessionID? = nil,
        address: String? = nil, request: String? = nil, device: SessionDevice? = nil, duration: Duration? = nil,
        certificate: String? = nil, expires: Date? = nil, key: String? = nil
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
    }

    /// A subject as an event has it.
    static func shown(subject: String) -> String? {
        subject.displayName(limit: 255)
    }
}
