package import Crypto
package import FoundationEssentials

/// An issuer that gives apps which can renew their tokens a short-lived access token and a refresh token, and all others
/// the tokens of a ``StatefulSessionIssuer``.
///
/// Each refresh replaces both tokens. A response that is lost signs nobody out, and an old refresh token that is used
/// again ends the session; see ``RefreshTokenStateMachine``. Access tokens that were checked lately are in memory, and
/// whether their session is live is known as for every other session.
///
/// Source: OX-6; RFC 9700 §2.2.2 and §4.14.
package final class RotatingSessionIssuer: SessionIssuer {
    /// An access token that is in memory.
    private struct KnownToken: Sendable {
        /// The hash in the row of its session.
        let session: SHA256Digest
        /// When the token expires.
        let expires: Date
    }

    private let base: StatefulSessionIssuer
    private let sessions: ClientSessionStore
    private let now: @Sendable () -> Date
    private let known: ReadCache<SHA256Digest, KnownToken>

    /// Creates an issuer.
    ///
    /// - Parameters:
    ///   - base: The issuer of all other tokens. It also finds the sessions of access tokens.
    ///   - sessions: The store of refresh tokens and access tokens.
    ///   - capacity: The maximum number of access tokens in memory.
    ///   - now: Returns the current time.
    package init(
        _ base: StatefulSessionIssuer, _ sessions: ClientSessionStore, capacity: Int = 196_608,
        now: @escaping @Sendable () -> Date
    ) {
        self.base = base
        self.sessions = sessions
        self.now = now
        known = ReadCache(capacity: capacity / 2)
    }

    package var cachedCount: Int { base.cachedCount }

    package func issue(
        for person: Person, device: SessionDevice, token shape: TokenFormat, authenticated: Date?, asking: SessionID?
    ) async throws -> SessionCredential {
        guard case .renewable = shape else {
            return try await base.issue(
                for: person, device: device, token: shape, authenticated: authenticated, asking: asking)
        }
        guard try await RequestProof.recordCurrent(of: person.id) else {
            throw GatewayError(.signedOut, "The proof of possession was used before.")
        }
        return SessionCredential(
            try await sessions.issue(
                .own, to: .own, for: person, device: device, id: .random(),
                authenticated: authenticated ?? now(), from: nil, binding: binding))
    }

    /// The key whose possession the request proves. Nil without a proof.
    private var binding: TokenBinding? {
        RequestProof.current.map { TokenBinding(thumbprint: $0.thumbprint, includesRefreshTokens: true) }
    }

    package func authenticate(_ token: String) async throws -> Authentication {
        switch find(token) {
        case .found(let authentication): authentication
        case .elsewhere(let read): try await read()
        }
    }

    package func cachedAuthentication(_ token: String) -> Authentication? {
        guard case .found(let authentication) = find(token) else { return nil }
        return authentication
    }

    package func find(_ token: String) -> TokenSearch {
        guard StatefulSessionIssuer.isOpaque(token) else { return .found(.unrecognized) }
        return search(token)
    }

    package func findSigned(_ token: String) -> TokenSearch {
        AccessToken.isPossible(token) ? search(token) : base.findSigned(token)
    }

    /// Searches memory for the session of an access token, or of a token of `base`.
    private func search(_ token: String) -> TokenSearch {
        let digest = SHA256.digest(token)
        if let token = known[digest] {
            guard now() < token.expires else { return .found(.expired) }
            switch base.find(token.session) {
            case .found(let authentication): return .found(authentication.expiring(token.expires))
            case .elsewhere(let read): return .elsewhere { try await read().expiring(token.expires) }
            }
        }
        let search = base.find(digest)
        guard case .elsewhere(let read) = search else { return search }
        return .elsewhere {
            let authentication = try await read()
            return authentication == .unrecognized ? try await self.authenticate(token, digest) : authentication
        }
    }

    /// Searches the database for an access token.
    private func authenticate(_ token: String, _ digest: SHA256Digest) async throws -> Authentication {
        let ticket = known.ticket
        if let access = try await sessions.authenticate(token) {
            guard access.grant == .own else { return .unrecognized }
            guard access.keyThumbprint == nil else {
                // Not kept in memory, so that it is never found there without its proof.
                let isLimited = access.mustChangePassword
                return Authentication.live(access.session, mustChangePassword: isLimited).expiring(access.expires)
            }
            let session = ClientSessionStore.placeholder(of: access.session.id)
            known.insert(KnownToken(session: session, expires: access.expires), for: digest, ticket: ticket)
            return try await authenticate(session).expiring(access.expires)
        }
        guard let own = try await sessions.ownAccess(digest) else { return .unrecognized }
        switch try await authenticate(ClientSessionStore.placeholder(of: own.session)) {
        case .proofRequired(var session) where own.isBound && now() < own.expires:
            session.expires = min(session.expires, own.expires)
            return .proofRequired(session)
        case .valid, .passwordChangeRequired, .proofRequired: return .expired
        case .expired: return .expired
        case .terminated: return .terminated
        case .unrecognized: return .unrecognized
        }
    }

    private func authenticate(_ session: SHA256Digest) async throws -> Authentication {
        switch base.find(session) {
        case .found(let authentication): authentication
        case .elsewhere(let read): try await read()
        }
    }

    package func refresh(_ token: String) async throws -> SessionCredential? {
        guard sessions.isRefreshToken(token) else { return try await base.refresh(token) }
        guard try await sessions.recordProof(ofRefreshToken: token) else { return nil }
        switch try await sessions.refresh(token, of: .own, binding: binding) {
        case .tokens(let tokens): return SessionCredential(tokens)
        case .refused, .otherKey, .stolen: return nil
        }
    }

    package func session(ofRefreshToken token: String) -> SessionID? { sessions.session(ofRefreshToken: token) }

    package func end(_ token: String) async throws -> EndedSession? {
        if !sessions.isRefreshToken(token), let ended = try await base.end(token) { return ended }
        guard let ended = try await sessions.end(token, of: ClientGrant.own.client) else { return nil }
        // The sessions that were created from it ended with it.
        invalidate(person: ended.person)
        return ended
    }

    package func invalidate(session: SHA256Digest) { base.invalidate(session: session) }
    package func invalidate(person: UUID) { base.invalidate(person: person) }
    package func invalidateAll() { base.invalidateAll() }
    package func onSessionsChanged(_ action: @escaping @Sendable () -> Void) { base.onSessionsChanged(action) }
    package func flush() async throws { try await base.flush() }
}

extension Authentication {
    fileprivate static func live(_ session: Session, mustChangePassword: Bool) -> Authentication {
        mustChangePassword ? .passwordChangeRequired(session) : .valid(session)
    }

    /// Returns the same result for a token that expires before its session does.
    fileprivate func expiring(_ date: Date) -> Authentication {
        guard var session else { return self }
        session.expires = min(session.expires, date)
        return .live(session, mustChangePassword: !isValid)
    }
}

extension SessionCredential {
    fileprivate init(_ tokens: ClientTokens) {
        self.init(
            token: tokens.accessToken, refreshToken: tokens.refreshToken, expiresIn: tokens.expiresIn,
            session: tokens.session, person: tokens.person, keyThumbprint: RequestProof.current?.thumbprint)
    }
}
