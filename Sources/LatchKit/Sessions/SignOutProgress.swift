/// The steps of a sign-out, in order. Later steps are taken even when an earlier one failed.
///
/// Source: IM-11.
public enum SignOutProgress: Sendable, Equatable {
    /// The server was asked to end the session. `isRevoked` is whether it did.
    case serverNotified(isRevoked: Bool)
    /// The token and the connection's secrets are removed from the secret store.
    case tokenRemoved
    /// The account is removed, with everything stored about its server.
    case accountRemoved
    /// No background work of the session is running any more, and its connections are closed.
    case backgroundStopped
    /// The first requests after the sign-in are cancelled, if they were still running.
    case syncCancelled
    /// The sign-out is complete. The program can show the sign-in screen.
    case signedOut
}
