import Crypto
import SecretStorage
import Synchronization

@testable import LatchKit

/// A secret store that tells a test of each use before it happens.
final class WatchedStore: SecretStoring {
    enum Action: Sendable { case read, write, remove }

    private let inner: any SecretStoring
    private let watcher = Mutex<@Sendable (Action, SecretKey) async throws(SecretStorageError) -> Void>({ _, _ in })
    var label: String { "watched" }

    init(_ inner: any SecretStoring) { self.inner = inner }

    /// What happens before each use from now on; what it throws is the store's failure.
    func watch(_ watcher: @escaping @Sendable (Action, SecretKey) async throws(SecretStorageError) -> Void) {
        self.watcher.withLock { $0 = watcher }
    }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try await watcher.withLock { $0 }(.read, key)
        return try await inner.read(key)
    }
    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await watcher.withLock { $0 }(.write, key)
        try await inner.write(secret, for: key)
    }
    func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try await watcher.withLock { $0 }(.remove, key)
        try await inner.remove(key)
    }
}
