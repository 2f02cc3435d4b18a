import CSecret
package import Crypto
import Primitives

/// A secret store in the desktop's Secret Service, such as GNOME Keyring or KWallet.
///
/// A secret is a password item with the schema `org.latchstring.Secret` and the attributes `service`, `account` and,
/// when several secrets share these two, `id`. People can find it in their keyring program. No call asks the person to
/// unlock the keyring: a locked keyring is the error ``SecretStorageError/Code/locked``. Every call ends within
/// ``limit``, even when the bus hangs.
///
/// Source: the Secret Service API 0.2; libsecret's `secret_service_search_sync` and related functions.
package struct SecretServiceStore: SecretStoring {
    /// The name of the service, for people.
    package static let name = "Secret Service"

    /// The timeout of a call. Default: 10 s.
    package let limit: Duration

    // One queue for the whole program, because libsecret's blocking calls wait for each other anyway.
    private static let queue = BlockingQueue("org.latchstring.secret-service")

    /// Creates a store. The service is not contacted before the first call.
    package init(limit: Duration = .seconds(10)) {
        self.limit = limit
    }

    /// The same as ``name``.
    package var label: String { Self.name }

    /// Reads a secret. Returns nil when the keyring is unlocked and has no secret for `key`.
    package func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        try await run { call throws(SecretStorageError) in try call.read(key) }
    }

    /// Stores a secret in the default keyring.
    package func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await run { call throws(SecretStorageError) in try call.write(secret, key) }
    }

    /// Removes a secret.
    package func remove(_ key: SecretKey) async throws(SecretStorageError) {
        try await run { call throws(SecretStorageError) in try call.remove(key) }
    }

    /// Checks that the service responds and that its default keyring is unlocked. Throws the reason otherwise.
    package func check() async throws(SecretStorageError) {
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
        let timeoutError = SecretStorageError(
            .io, "Could not use the Secret Service: it did not respond within \(limit); restart the keyring service.")
        // The call is cancelled shortly before its caller times out, so that the thread for these calls is free again
        // by then.
        let end = limit * 0.9
        return try await Self.queue.run(limit: limit, timeoutError: timeoutError) { () throws(SecretStorageError) in
            cancellation.cancel(after: end)
            let call = try SecretServiceCall.open(library, cancellation)
            defer { call.close() }
            return try body(call)
        }
    }
}
