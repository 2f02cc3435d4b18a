import Crypto
import FoundationEssentials

/// A family whose servers protect part of a person's content with a PIN. The PIN unlocks it for one session and a
/// limited time.
///
/// Source: IM-15.
package protocol PINDialect: Dialect {
    /// Returns the state of the PIN and the lock.
    func pinState(with client: AuthorizedClient) async throws -> PINState
    /// Performs an action on the PIN or the lock.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - client: The session to lock or unlock.
    /// - Throws: ``LatchError/Code/wrongPIN``, ``LatchError/Code/wrongCredentials`` for a wrong password,
    ///   ``LatchError/Code/rateLimited`` when the server accepts no more attempts for now. The session stays valid.
    func perform(_ action: PINAction, with client: AuthorizedClient) async throws
}
