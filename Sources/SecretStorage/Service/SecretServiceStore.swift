import CSecret
public import Crypto
import Primitives

/// Secrets in the desktop's Secret Service: GNOME Keyring, KWallet.
///
/// A secret is a password item with the schema `org.latchstring.Secret` and the attributes `service`, `account` and, when
/// several share these two, `id`, so that a person finds it in their keyring program. No call asks the person to unlock:
/// a locked keyring is the error ``SecretStorageError/Code/locked``. Every call ends within ``limit``, also when the bus hangs.
///
/// Source: the Secret Service API 0.2; libsecret's `secret_service_search_sync` and neighbours.
public struct SecretServiceStore: SecretStoring {
    /// How long a call may take. `10 s` by default.
    public let limit: Duration

    // One for the program: libsecret's blocking calls wait for one another's bus anyway.
    private static let queue = BlockingQueue("org.latchstring.secret-service")

    /// Makes a store; nothing is asked before the first call.
    public init(limit: Duration = .seconds(10)) {
        self.limit = limit
    }

    /// `Secret Service`.
    public var label: String { "Secret Service" }

    /// Reads a secret; nil when the keyring is unlocked and holds none under `key`.
    public func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try await run { call throws(SecretStorageError) in try call.read(key) }
    }

    /// Keeps a secret in the default keyring.
    public func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await run { call throws(SecretStorageError) in try call.write(secret, key) }
    }

    /// Removes a secret.
    public func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try await run { call throws(SecretStorageError) in try call.remove(key) }
    }

    /// Whether a service answers with an unlocked default keyring; throws what else it is.
    public func check() async throws(SecretStorageError) {
        try await run { call throws(SecretStorageError) in try call.requireUnlocked() }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (SecretServiceCall) throws(SecretStorageError) -> Value
    ) async throws(SecretStorageError) -> Value {
        guard let library = SecretLibrary.functions else {
            throw SecretStorageError(
                .absent,
                "Could not reach the Secret Service: libsecret is not installed; install it (Debian: libsecret-1-0) or use --secrets file."
            )
        }
        let cancellation = Cancellation(library)
        let late = SecretStorageError(
            .io, "Could not ask the Secret Service: it did not answer within \(limit); restart the keyring service.")
        // A little earlier than the caller is let go: by then the one thread for these calls is free again.
        let end = limit * 0.9
        return try await Self.queue.run(limit: limit, late: late) { () throws(SecretStorageError) in
            cancellation.cancel(after: end)
            let call = try SecretServiceCall.open(library, cancellation)
            defer { call.close() }
            return try body(call)
        }
    }
}
