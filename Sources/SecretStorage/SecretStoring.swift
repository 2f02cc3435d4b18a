public import Crypto

/// A place that keeps secrets.
///
/// Three answers are kept apart: an error ``SecretStorageError/Code/locked``, an error
/// ``SecretStorageError/Code/absent``, and nil, which alone means that the store holds nothing under that name.
/// Cancelling a call does not stop it: a write that began is finished.
public protocol SecretStoring: Sendable {
    /// The store in words for a person: `Secret Service`, `sealed file /path`.
    var label: String { get }

    /// Reads a secret; nil when the store is reachable, unlocked and holds nothing under `key`.
    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret?

    /// Keeps `secret` under `key` in place of what was there; durable on return.
    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError)

    /// Removes what is under `key`; nothing there is fine.
    func remove(_ key: SecretKey) async throws(SecretStorageError)

    /// Checks that secrets can be read and stored now, and throws the reason when they cannot. Nothing is changed.
    func check() async throws(SecretStorageError)
}

extension SecretStoring {
    /// Checks nothing.
    public func check() async throws(SecretStorageError) {}
}
