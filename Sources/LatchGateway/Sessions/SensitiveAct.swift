import FoundationEssentials

/// What a session may do only a short while after its person showed who they are, in every dialect and on every page.
///
/// This is the one list: a route asks ``GatewayServices/requireRecentSignIn(for:_:)`` and decides nothing itself. Whoever has a
/// token for an hour must not get a way in of their own by it, nor lock the person out.
///
/// Source: OWASP MASVS 2.1, AUTH-3; NIST SP 800-63B §6.1.2.1; RFC 9470 §1.
enum SensitiveAct: String, CaseIterable, Sendable {
    case setFirstPIN = "setting a PIN"
    case removePIN = "removing the PIN"
    case endOtherSessions = "signing out every other device"
    case makeKey = "making a key"
    case linkIdentity = "linking an identity"
    case unlinkIdentity = "unlinking identities"
    case changeEmail = "changing the e-mail address"
    case chooseRequiredPassword = "choosing a password without the one before"
    case administer = "administering"

    /// For how long after a sign-in it may be done.
    static let recency = Duration.seconds(600)

    /// Refuses the act unless the sign-in was a short while ago; nil is one that nobody knows the time of.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a sentence for the person.
    func requireRecent(_ signIn: Date?, at now: Date) throws(GatewayError) {
        guard let signIn, now < signIn + Self.recency else {
            throw GatewayError(
                .recentSignInRequired, "Sign in again first: \(rawValue) needs a sign-in of the last 10 minutes.")
        }
    }
}

extension GatewayServices {
    /// Refuses an act unless the person of a session showed a short while ago who they are, here or at an identity provider
    /// that tells it. A session made from another has that from the other.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a sentence for the person.
    func requireRecentSignIn(for act: SensitiveAct, _ session: Session) throws(GatewayError) {
        try act.requireRecent(session.authenticated, at: now())
    }
}
