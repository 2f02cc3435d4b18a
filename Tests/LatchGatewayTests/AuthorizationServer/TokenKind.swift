/// A kind of text that stands for somebody's rights, or for a step of a sign-in.
///
/// A PIN elevation is none: it is stored with a session and has no text.
enum TokenKind: String, CaseIterable, Sendable {
    /// The session of an app of Onyx, of a browser, and of Time Tracker, where the token is signed.
    case session, browserSession, timeTracker
    case apiKey
    case idToken, logoutToken
    /// Access tokens of OAuth clients: for this server, for a protected server, and bound to a key.
    case accessToken, accessTokenForResource, signedToken, signedTokenForResource, boundToken
    case refreshToken, authorizationCode, deviceCode, userCode, pushedRequest
    case bridgeCode, bridgeState
    case formToken, registrationToken, assertion, proof, proofNonce
}

extension Set<TokenKind> {
    /// What opens the dialects. A session of one dialect opens the others too.
    static let sessions: Self = [.session, .browserSession]
    /// What opens the places that also take the token of Time Tracker, which apps send to other servers.
    static let allSessions: Self = sessions.union([.timeTracker])
    /// Access tokens of clients that are bearer tokens.
    static let bearers: Self = [.accessToken, .accessTokenForResource, .signedToken, .signedTokenForResource]
}
