public import Crypto

/// A store for secrets.
///
/// Callers must distinguish three results: an error with code ``SecretStorageError/Code/locked``, an error with code
/// ``SecretStorageError/Code/absent``, and nil. Only nil means that the store has no secret under that name. Cancelling
/// a call does not stop it: a write that has started is completed.
public protocol SecretStoring: Sendable {
    /// A description of the store for people, such as `Secret Service` or `sealed file /path`.
    var label: String { get }

    /// Reads a secret. Returns nil when the store is available and unlocked and has no secret for `key`.
    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret?

    /// Stores `secret` under `key` and replaces the previous one. It is durable when the function returns.
    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError)

    /// Removes the secret under `key`. Does nothing when there is none.
    func remove(_ key: SecretKey) async throws(SecretStorageError)

    /// Checks that secrets can be read and stored now, without changing anything. Throws the reason when they cannot.
    func check() async throws(SecretStorageError)
}

extension SecretStoring {
    /// Does nothing.
    public func check() async throws(SecretStorageError) {}
}
