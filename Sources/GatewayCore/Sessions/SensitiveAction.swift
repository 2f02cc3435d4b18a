package import FoundationEssentials

/// The actions that need a recent sign-in, in every dialect and on every page.
///
/// This is the only list: a route calls ``GatewayServices/requireRecentSignIn(for:_:)``. A stolen token must not be
/// enough to gain lasting access, or to lock the person out.
///
/// Source: OWASP MASVS 2.1, AUTH-3; NIST SP 800-63B §6.1.2.1; RFC 9470 §1.
package enum SensitiveAction: String, CaseIterable, Sendable {
    case setFirstPIN = "setting a PIN"
    case removePIN = "removing the PIN"
    case endOtherSessions = "signing out every other device"
    case endNewerSession = "ending or locking a session that is newer than this one"
    case allowDevice = "signing in a device"
    case allowApp = "allowing an app"
    case makeKey = "creating a key"
    case linkIdentity = "linking an identity"
    case unlinkIdentity = "unlinking identities"
    case changeEmail = "changing the e-mail address"
    case chooseRequiredPassword = "setting a password without the current one"
    case administer = "administering the server"

    /// How long a sign-in counts as recent.
    static let recency = Duration.seconds(600)

    /// Throws unless the sign-in is recent. Nil means that the time of the sign-in is unknown, which is not recent.
    ///
    /// - Throws: ``GatewayError/Code/recentSignInRequired``, with a message for the person.
    package func requireRecent(_ signIn: Date?, at now: Date) throws(GatewayError) {
        guard let signIn, now < signIn + Self.recency else {
            throw GatewayError(
                .recentSignInRequired,
                "Sign in again first: \(rawValue) requires a sign-in within the last 10 minutes.")
        }
    }
}
