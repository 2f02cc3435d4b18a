package import Crypto
package import FoundationEssentials

/// Issues the tokens of sessions and authenticates requests with them.
///
/// Routes use tokens only through this protocol and treat them as opaque text. So another issuer can use other tokens:
/// ones that are looked up, or short-lived ones that are verified by themselves and refreshed with a second token.
///
/// Source: OX-6.
package protocol SessionIssuer: Sendable {
    /// Starts a session. The credential is valid, and survives a crash, once this method returns.
    ///
    /// If the current request has a ``RequestProof``, an issuer that can do so binds the token to its key.
    ///
    /// An issuer with its own token format ignores `shape`.
    ///
    /// - Parameters:
    ///   - person: The person who signed in.
    ///   - device: The device that the person signed in on.
    ///   - shape: The format of the token.
    ///   - authenticated: When the person last authenticated, if that was elsewhere and the time is known; nil for just
    ///     now.
    ///   - asking: The session that requests another one. It is not ended when the person has too many sessions. Nil
    ///     for a sign-in.
    /// - Returns: The credential that the client sends with further requests.
    /// - Throws: ``GatewayError/Code/unknownPerson`` when the person was disabled, removed or got another password
    ///   since `person` was read; errors of `shape`.
    func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential

    /// Returns the session that a token belongs to, or why the token is not accepted. A valid token counts as used.
    ///
    /// A token with content (``TokenFormat/custom(lifetime:_:)``) is not recognized: ``findSigned(_:)``.
    ///
    /// Returns ``Authentication/passwordChangeRequired(_:)`` for a person who must change their password, so that this
    /// rule applies to every route.
    ///
    /// This method is called for every request. It must not suspend when the result is in memory.
    func authenticate(_ token: String) async throws -> Authentication

    /// Returns the result of ``authenticate(_:)`` when it is in memory; nil when ``authenticate(_:)`` must be called.
    func cachedAuthentication(_ token: String) -> Authentication?

    /// Returns the result of ``authenticate(_:)`` when it is in memory, and otherwise the work that reads it. That work
    /// does not examine or hash the token again.
    func find(_ token: String) -> TokenSearch

    /// Does the same as ``find(_:)``, and also finds tokens with content (``TokenFormat/custom(lifetime:_:)``).
    ///
    /// Apps send such tokens to other servers too. They are accepted only where those servers could gain little with them.
    func findSigned(_ token: String) -> TokenSearch

    /// Extends the session of a token or refresh token. Returns nil when there is no live session.
    ///
    /// A refresh does not revive a session that is ended at the same time.
    func refresh(_ token: String) async throws -> SessionCredential?

    /// The session that a refresh token was issued for. Nil for any other text. It may be over.
    func session(ofRefreshToken token: String) -> SessionID?

    /// Ends the session of a token or refresh token. Returns nil when there is no live session.
    func end(_ token: String) async throws -> EndedSession?

    /// Removes the session whose token has this hash from memory, because another process changed it.
    func invalidate(session: SHA256Digest)

    /// Removes a person's sessions from memory, after the stored sessions were ended.
    func invalidate(person: UUID)

    /// Removes all sessions from memory, because another process changed the database.
    func invalidateAll()

    /// Sets the action that is called after sessions may have ended in any process: after an end in this process and
    /// after each ``invalidate(person:)`` and ``invalidateAll()``. It is not called when sessions expire. The action must
    /// return at once. By default, it is never called.
    func onSessionsChanged(_ action: @escaping @Sendable () -> Void)

    /// The number of sessions in memory.
    var cachedCount: Int { get }

    /// Writes data whose write was deferred, such as the time of last use.
    func flush() async throws
}

extension SessionIssuer {
    /// Starts a session that no other session requested. By default, it has an opaque token and a person who
    /// authenticated just now.
    package func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat = .opaque, authenticated: Date? = nil
    ) async throws -> SessionCredential {
        try await issue(for: person, device: device, token: shape, authenticated: authenticated, asking: nil)
    }

    /// Removes all sessions from memory.
    package func invalidate(session: SHA256Digest) { invalidateAll() }

    /// Nil: a session has only one token.
    package func session(ofRefreshToken token: String) -> SessionID? { nil }

    /// Does nothing.
    package func onSessionsChanged(_ action: @escaping @Sendable () -> Void) {}

    /// Nil: no results are in memory.
    package func cachedAuthentication(_ token: String) -> Authentication? { nil }

    /// Calls ``cachedAuthentication(_:)``, and then ``authenticate(_:)``.
    package func find(_ token: String) -> TokenSearch {
        cachedAuthentication(token).map(TokenSearch.found) ?? .elsewhere { try await authenticate(token) }
    }

    /// Calls ``find(_:)``: an issuer with its own token format has no other tokens.
    package func findSigned(_ token: String) -> TokenSearch { find(token) }

    /// Does the same as ``authenticate(_:)``, and also accepts tokens with content; see ``findSigned(_:)``.
    package func authenticateSigned(_ token: String) async throws -> Authentication {
        switch findSigned(token) {
        case .found(let authentication): authentication
        case .elsewhere(let read): try await read()
        }
    }
}

/// The result of a search for a token in memory.
package enum TokenSearch: Sendable {
    /// The token is in memory, or can belong to no session.
    case found(Authentication)
    /// The token is not in memory. The closure searches the database.
    case elsewhere(@Sendable () async throws -> Authentication)
}

/// The result of a sign-in or a refresh.
package struct SessionCredential: Sendable {
    /// The token to send with requests.
    package let token: Secret
    /// The token to refresh with; nil when ``token`` is used for that.
    package let refreshToken: Secret?
    /// How long ``token`` is valid without a refresh; nil when the client does not need to know.
    package let expiresIn: Duration?
    /// The session's public id.
    package let session: SessionID
    /// The person's id.
    package let person: UUID
    /// The SHA-256 of the public key that ``token`` is bound to, in base64url. Nil for a bearer token.
    package let keyThumbprint: String?

    /// The type of a token that is bound to a key.
    ///
    /// Source: RFC 9449 §5.
    package static let boundType = "DPoP"

    /// Creates a credential.
    package init(
        token: Secret, refreshToken: Secret? = nil, expiresIn: Duration? = nil, session: SessionID, person: UUID,
        keyThumbprint: String? = nil
    ) {
        self.keyThumbprint = keyThumbprint
        self.token = token
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.session = session
        self.person = person
    }
}

/// A session that was just ended.
package struct EndedSession: Sendable, Equatable {
    /// The session's public id.
    package let session: SessionID
    /// The person's id.
    package let person: UUID

    /// Creates a value.
    init(session: SessionID, person: UUID) {
        self.session = session
        self.person = person
    }
}

/// The result of authenticating a token.
package enum Authentication: Sendable, Equatable {
    /// The token belongs to a live session.
    case valid(Session)
    /// The token belongs to a live session whose person must change their password first. It only allows that change,
    /// reading the person's own profile and signing out.
    case passwordChangeRequired(Session)
    /// The session of the token has expired.
    case expired
    /// The session of the token was ended: by a sign-out, by a revocation, or because the person was disabled or
    /// removed.
    case terminated
    /// The token belongs to a live session, but is bound to a key, and the request does not prove its possession.
    case proofRequired(Session)
    /// No stored session has this token.
    case unrecognized

    /// Whether the token is valid for all requests. False when the person must change their password first.
    package var isValid: Bool {
        if case .valid = self { true } else { false }
    }

    /// The live session, even if its person must change their password first.
    package var session: Session? {
        switch self {
        case .valid(let session), .passwordChangeRequired(let session): session
        case .expired, .terminated, .proofRequired, .unrecognized: nil
        }
    }
}
