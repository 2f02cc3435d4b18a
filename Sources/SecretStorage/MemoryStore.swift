public import Crypto
import Synchronization

/// A store that ends with the program.
public final class MemoryStore: SecretStoring {
    private let secrets = Mutex<[SecretKey: Secret]>([:])

    /// Makes an empty store.
    public init() {}

    /// `memory`.
    public var label: String { "memory" }

    /// Reads a secret, or nil.
    public func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        secrets.withLock { $0[key] }
    }

    /// Keeps a secret until the program ends.
    public func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        secrets.withLock { $0[key] = secret }
    }

    /// Forgets a secret.
    public func remove(_ key: SecretKey) async throws(SecretStorageError) {
        secrets.withLock { $0[key] = nil }
    }
}
