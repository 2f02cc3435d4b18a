public import Crypto
import Synchronization

/// A store in memory. Its secrets are lost when the program ends.
public final class MemoryStore: SecretStoring {
    private let secrets = Mutex<[SecretKey: Secret]>([:])

    /// Creates an empty store.
    public init() {}

    /// The text `memory`.
    public var label: String { "memory" }

    /// The names of all secrets.
    package var names: [SecretKey] { secrets.withLock { Array($0.keys) } }

    /// Reads a secret. Returns nil when there is none for `key`.
    public func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        secrets.withLock { $0[key] }
    }

    /// Stores a secret until the program ends.
    public func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        secrets.withLock { $0[key] = secret }
    }

    /// Removes a secret.
    public func remove(_ key: SecretKey) async throws(SecretStorageError) {
        secrets.withLock { $0[key] = nil }
    }
}
