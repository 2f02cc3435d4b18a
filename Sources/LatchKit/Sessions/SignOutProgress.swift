/// What signing out does, in this order; every step is gone, whatever came of the one before.
///
/// Source: IM-11.
public enum SignOutProgress: Sendable, Equatable {
    /// The server was told; whether it has ended the session.
    case serverTold(isRevoked: Bool)
    /// Token and connection secrets are gone from the secret store.
    case tokenRemoved
    /// The account is gone with everything that is kept with it: where its server is, what it told of itself.
    case accountRemoved
    /// Nothing of the session runs any more in the background, and its connections are closed.
    case backgroundStopped
    /// What was being fetched is given up.
    case syncCancelled
    /// The sign-in screen may be shown.
    case signedOut
}
