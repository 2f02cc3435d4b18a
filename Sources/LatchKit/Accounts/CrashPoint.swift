/// The steps after which a crash must leave an account whole or absent; tests stop at each.
enum AccountStep: String, Sendable, CaseIterable {
    /// Sign-in by a key of the server's: it is noted which key is about to be made.
    case firstKeyNoted
    /// Sign-in by a key of the server's: the server has made it.
    case firstKeyMade
    /// Sign-in: the row stands, not yet counted.
    case rowMade
    /// Sign-in: the connection's secrets are in the secret store.
    case connectionWritten
    /// Sign-in: the token is in the secret store.
    case tokenWritten
    /// Sign-in: the row counts, and is active.
    case rowWhole
    /// End of a session: the row says that the secrets go.
    case endNoted
    /// End of a session: the token is gone from the secret store.
    case endWiped
    /// Removal: the row is hidden.
    case leavingNoted
    /// Removal: the secrets are gone.
    case leavingWiped
    /// Refresh: the new token is in the secret store.
    case renewedTokenWritten
    /// Change of how the server is connected to: the new secrets are in the secret store.
    case newConnectionWritten
    /// Change of how the server is connected to: the row says so.
    case connectionChanged
    /// Rotation: it is noted which keys may be left over.
    case rotationNoted
    /// Rotation: the server has made the new key.
    case rotatedKeyMade
    /// Rotation: the server has taken the new key.
    case rotatedKeyTried
    /// Rotation: the new key and its id are in the secret store, in place of the old.
    case rotatedKeyWritten
    /// Rotation: the row has the new key's id.
    case rotatedKeyKept
    /// A key that was left over is revoked, and still noted.
    case leftoverRevoked
}

/// Called after each step; what it throws stops the work there as a crash would.
struct CrashPoint: Sendable {
    var after: @Sendable (AccountStep) throws -> Void = { _ in }
}
