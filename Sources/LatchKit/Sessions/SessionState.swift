/// The state of a session. A program shows the sign-in screen when signed out and the app when signed in.
///
/// Source: OX-14.
public enum SessionState: Sendable, Hashable {
    /// The initial state, until the secret store has responded.
    case restoring
    /// There is a token.
    case signedIn(TokenStatus)
    /// The secret store does not return the token. The account is not signed out, but nothing can be sent.
    case unavailable(LatchError.Code)
    /// A sign-out is in progress.
    case signingOut
    /// There is no session.
    case signedOut(SignedOutReason)

    /// Whether the server is known to accept the token.
    public enum TokenStatus: Sendable, Hashable {
        /// The server has accepted the token at least once since this program started, and no other address of it has
        /// rejected the token since.
        case verified
        /// The server has not been asked yet, or did not respond for the reason in the code. Being offline does not
        /// sign out. With ``LatchError/Code/rejectionUnconfirmed``, another address of the server rejects the token.
        case unverified(LatchError.Code?)
    }

    /// Why there is no session.
    public enum SignedOutReason: Sendable, Hashable {
        /// The person has not signed in, or has signed out.
        case notSignedIn
        /// The session has ended. The text says why, as the end of "You were signed out because …".
        case ended(String)
    }

    /// Whether there is a session.
    public var isSignedIn: Bool {
        if case .signedIn = self { true } else { false }
    }
}
