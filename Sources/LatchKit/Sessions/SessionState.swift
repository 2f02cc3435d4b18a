/// Where a session stands, for a program's gate: signed out goes to sign-in, signed in to the app.
///
/// Source: OX-14.
public enum SessionState: Sendable, Equatable {
    /// The state from the start until the secret store has answered.
    case restoring
    /// The state once there is a token.
    case signedIn(Standing)
    /// The state while the secret store does not give the token: nobody is signed out, and nothing can be sent.
    case unavailable(LatchError.Code)
    /// The state from asking to sign out until all is wiped.
    case signingOut
    /// The state once there is no session.
    case signedOut(SignedOutReason)

    /// How sure it is that the server takes the token.
    public enum Standing: Sendable, Equatable {
        /// The server has taken it since this program started.
        case verified
        /// Nobody has asked yet, or the code says why the server did not answer; being offline signs nobody out.
        case unverified(LatchError.Code?)
    }

    /// Why there is no session.
    public enum SignedOutReason: Sendable, Equatable {
        /// Nobody has signed in, or the person signed out.
        case notSignedIn
        /// The server ended the session; the text is the end of "You were signed out because …".
        case ended(String)
    }

    /// Whether there is a session.
    public var isSignedIn: Bool {
        if case .signedIn = self { true } else { false }
    }
}
