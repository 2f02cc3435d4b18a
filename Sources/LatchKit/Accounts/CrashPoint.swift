/// The steps after which a crash must leave an account either complete or absent. Tests stop at each step.
enum AccountStep: String, Sendable, CaseIterable {
    /// Sign-in with a key that the server creates: the key's name is recorded.
    case firstKeyRecorded
    /// Sign-in with a key that the server creates: the server has created it.
    case firstKeyMade
    /// Sign-in: the row exists but is incomplete.
    case rowMade
    /// Sign-in: the connection's secrets are in the secret store.
    case connectionWritten
    /// Sign-in: the token is in the secret store.
    case tokenWritten
    /// Sign-in: the row is complete and active.
    case rowWhole
    /// End of a session: the row says that the secrets are to be removed.
    case endRecorded
    /// End of a session: the token is removed from the secret store.
    case endWiped
    /// Removal: the row is hidden.
    case leavingRecorded
    /// Removal: the secrets are removed.
    case leavingWiped
    /// Refresh: the new token is in the secret store.
    case renewedTokenWritten
    /// Change of the connection options: the new secrets are in the secret store.
    case newConnectionWritten
    /// Change of the connection options: the row refers to the new secrets.
    case connectionChanged
    /// Rotation: the keys that may become orphaned are recorded.
    case rotationRecorded
    /// Rotation: the server has created the new key.
    case rotatedKeyMade
    /// Rotation: the server has accepted the new key.
    case rotatedKeyTried
    /// Rotation: the new key and its id have replaced the old ones in the secret store.
    case rotatedKeyWritten
    /// Rotation: the row has the new key's id.
    case rotatedKeyKept
    /// Revocation: an orphaned key is revoked, but its record still exists.
    case orphanedKeyRevoked
    /// Lock: the random secret that is needed besides the PIN, or the key for the system's authentication, is in the
    /// secret store.
    case lockSecretWritten
    /// Lock: the record says what happens to all secrets.
    case lockRecorded
    /// Lock: one secret is sealed or stored without a seal.
    case secretResealed
    /// Lock: what unlocked a key that is replaced or deleted is removed from the secret store.
    case lockKeyRemoved
    /// Lock: the record says that all secrets are changed, or is deleted.
    case lockFinished
    /// Lock: a try is counted as wrong, but not checked yet.
    case lockTryCounted
    /// Lock: the key is deleted.
    case lockForgotten
}

/// A function that is called after each step. An error that it throws stops the work there, as a crash would.
struct CrashPoint: Sendable {
    var after: @Sendable (AccountStep) throws -> Void = { _ in }
}
