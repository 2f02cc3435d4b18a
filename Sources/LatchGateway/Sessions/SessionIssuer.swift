public import Crypto
public import FoundationEssentials

/// What a sign-in gives out and what a request brings back: the seam behind which tokens may become something else.
///
/// Routes know tokens only through this. A token is one opaque text to them; an issuer may give out a token that is
/// looked up, or a short one that is checked by itself and a second one to refresh it with.
///
/// Source: OX-6.
public protocol SessionIssuer: Sendable {
    /// Starts a session; the credential works, and survives a crash, once this returns.
    ///
    /// An issuer whose tokens have a shape of their own gives them out whatever `shape` is.
    ///
    /// - Parameters:
    ///   - person: Who signed in.
    ///   - device: On what.
    ///   - shape: What token is given out.
    ///   - authenticated: When the person last showed who it is, where that was elsewhere and is told; just now when nil.
    ///   - asking: The session that asks for another one: it is not ended when the person has too many. nil for a sign-in.
    /// - Returns: What the client sends from now on.
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or got another password since
    ///   `person` was read; what `shape` throws.
    func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential

    /// Tells whose session a token is of. A valid one counts as used.
    ///
    /// Returns ``Authentication/passwordChangeRequired(_:)`` for a person who must change their password. So the rule holds for
    /// every route.
    ///
    /// Called for every request: it must not suspend when it can answer from memory.
    func authenticate(_ token: String) async throws -> Authentication

    /// The same where that can be told at once, from memory; nil where ``authenticate(_:)`` must be asked.
    func cachedAuthentication(_ token: String) -> Authentication?

    /// Extends the session of a token, or of a token made for refreshing; nil when there is no live one.
    ///
    /// A session that is being ended at the same time stays ended.
    func refresh(_ token: String) async throws -> SessionCredential?

    /// Ends the session of a token, whichever of the session's tokens it is; nil when there is no live one.
    func end(_ token: String) async throws -> EndedSession?

    /// Forgets what is kept in memory of a person, whose stored sessions were ended.
    func forget(person: UUID)

    /// Forgets all that is kept in memory: another process changed the database.
    func forgetEverything()

    /// How many sessions are kept in memory.
    var rememberedCount: Int { get }

    /// Writes what may be written late, such as the time of last use.
    func flush() async throws
}

extension SessionIssuer {
    /// Starts a session with an opaque token for somebody who showed just now who it is.
    public func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat = .opaque, authenticated: Date? = nil
    ) async throws -> SessionCredential {
        try await issue(for: person, device: device, token: shape, authenticated: authenticated, asking: nil)
    }

    /// Nothing is known at once.
    public func cachedAuthentication(_ token: String) -> Authentication? { nil }
}

/// What a sign-in or a refresh gives out.
public struct SessionCredential: Sendable {
    /// The token to send with requests.
    public let token: Secret
    /// The token to refresh with, when it is another one.
    public let refreshToken: Secret?
    /// How long ``token`` works without a refresh, when the client must know.
    public let expiresIn: Duration?
    /// The session's public id.
    public let session: SessionID
    /// The person's id.
    public let person: UUID

    /// Makes a credential.
    public init(
        token: Secret, refreshToken: Secret? = nil, expiresIn: Duration? = nil, session: SessionID, person: UUID
    ) {
        self.token = token
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.session = session
        self.person = person
    }
}

/// A session that was ended just now.
public struct EndedSession: Sendable, Equatable {
    /// The session's public id.
    public let session: SessionID
    /// The person's id.
    public let person: UUID

    /// Makes the value.
    public init(session: SessionID, person: UUID) {
        self.session = session
        self.person = person
    }
}

/// What a token is worth.
public enum Authentication: Sendable, Equatable {
    /// A live session's.
    case valid(Session)
    /// The token of a live session whose person must change their password first. It opens only that change, the person's own
    /// profile and the sign-out.
    case passwordChangeRequired(Session)
    /// A session's whose time ran out.
    case expired
    /// A session's that was ended: signed out, revoked, or the person is gone.
    case terminated
    /// No session's that is remembered.
    case unrecognized

    /// Whether it opens anything.
    var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// The live session, even if its person must change their password first.
    var session: Session? {
        switch self {
        case .valid(let session), .passwordChangeRequired(let session): session
        case .expired, .terminated, .unrecognized: nil
        }
    }
}
