package import FoundationEssentials

/// A live session and its person.
package struct Session: Sendable, Equatable, Identifiable {
    /// The public id of the session.
    package let id: SessionID
    /// The person who signed in.
    package let person: Person
    /// When the session started.
    package let created: Date
    /// When the person last authenticated: here with a password, or at an identity provider. At a provider this may be
    /// long before the session started. If the provider does not send the time, this is the start of the session. A
    /// session that was created from another session has the time of that session.
    package let authenticated: Date
    /// When the session expires if it is not used again. The value is on disk, so it is also valid after a crash.
    package internal(set) var expires: Date
    /// When the session ends regardless of its use. A session that was created from another session ends at the latest
    /// when that session expires without further use.
    let cap: Date
    /// The person's groups, from the last sign-in at each identity provider.
    package let groups: [String]
    /// How the person authenticated.
    package let methods: AuthenticationMethods
    /// The SHA-256 of the public key that the session's token is bound to, in base64url. Nil for a token that needs no
    /// proof of possession.
    package let keyThumbprint: String?
    /// The session that this one was created from. Nil when there is none.
    package let parent: SessionID?

    /// Whose limits the requests of the session count for: its own, or those of all sessions that were created from the
    /// same session, so that a session does not get new limits with each session that it creates.
    package var caller: RequestCaller { parent.map(RequestCaller.childSessions) ?? .session(id) }

    /// Whether the person authenticated in this session. Nobody did so in a session that was created from another one, nor
    /// at a device that was allowed elsewhere. Only such a session allows clients and devices, so that everything that a
    /// stolen session allowed is found when that session is ended.
    package var isSignIn: Bool { parent == nil && authenticated > .distantPast }

    /// The time before which other sessions must have begun for this one to end them without a recent sign-in. At a
    /// device that was allowed elsewhere nobody authenticated, so it ends no others: otherwise a stolen session could
    /// allow one to end newer sessions.
    package var endsSessionsBefore: Date { authenticated > .distantPast ? created : .distantPast }

    package init(
        id: SessionID, person: Person, created: Date, authenticated: Date? = nil, expires: Date, cap: Date,
        groups: [String] = [], methods: AuthenticationMethods = .password, keyThumbprint: String? = nil,
        parent: SessionID? = nil
    ) {
        self.id = id
        self.person = person
        self.created = created
        self.authenticated = authenticated ?? created
        self.expires = expires
        self.cap = cap
        self.groups = groups
        self.methods = methods
        self.keyThumbprint = keyThumbprint
        self.parent = parent
    }
}
