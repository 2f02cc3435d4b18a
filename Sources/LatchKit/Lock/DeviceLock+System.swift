import Crypto
import HTTPMessages
import SecretStorage

extension DeviceLock {
    /// Sets the system's authentication instead of a PIN, and seals the secrets of all accounts. The lock is unlocked
    /// afterwards. The person authenticates once, which shows that it works here.
    ///
    /// - Throws: The errors of ``unlock(with:)-(SystemAuthentication)``; ``LatchError/Code/invalidRequest`` when there is
    ///   a lock already. If some secrets could not be sealed, the next start seals them.
    public func set(_ authentication: SystemAuthentication, settings: Settings = Settings()) async throws {
        try Self.check(settings)
        try await requireProtectedStore()
        try await authentication.request()
        try await changing { record in
            guard record == nil else { throw Self.exists }
            let key = Secret.random(SealedBox.keyCount)
            var made = try LockRecord(key)
            made.settings = settings
            try await storeSystemKey(key, of: &made)
            try await begin(&made, with: key)
        }
    }

    /// Unlocks with the system's authentication, as ``unlock(with:)-(Secret)`` does with the PIN. A failure does not
    /// count as a wrong try of the PIN.
    ///
    /// - Throws: ``LatchError/Code/systemAuthenticationDenied``; ``LatchError/Code/systemAuthenticationUnanswered``;
    ///   ``LatchError/Code/systemAuthenticationUnavailable``; ``LatchError/Code/invalidRequest`` when it was not set;
    ///   `CancellationError`; a code of the secret store or the storage.
    public func unlock(with authentication: SystemAuthentication) async throws {
        try await changing(after: authentication) { record in
            var (record, _) = try await openSystemKey(of: record)
            _ = try await finish(&record)
        }
    }

    /// Removes the lock, as ``remove(with:)-(Secret)`` does with the PIN.
    ///
    /// - Throws: The errors of ``unlock(with:)-(SystemAuthentication)``.
    public func remove(with authentication: SystemAuthentication) async throws {
        try await changing(after: authentication) { record in
            try await remove(try await openSystemKey(of: record).record)
        }
    }

    /// Sets a PIN besides the system's authentication.
    ///
    /// - Throws: The errors of ``unlock(with:)-(SystemAuthentication)``; ``LatchError/Code/weakPassword``;
    ///   ``LatchError/Code/invalidRequest`` when there is a PIN already.
    public func addPIN(_ pin: Secret, with authentication: SystemAuthentication) async throws {
        try Self.check(pin)
        try await changing(after: authentication) { record in
            guard record?.methods.contains(.pin) != true else { throw Self.exists }
            var (record, key) = try await openSystemKey(of: record)
            guard try await finish(&record) else { return }
            try await record.wrapOnThread(key, pin, try await makeDeviceSecret(of: record), vault.parameters)
            record.tries.succeeded()
            try vault.store(record)
            try accounts.hook.after(.lockRecorded)
            try vault.setUnrecordedKey(nil)
        }
    }

    /// Sets the system's authentication besides the PIN. The person authenticates once, which shows that it works here.
    /// The key of the lock is replaced.
    ///
    /// - Throws: The errors of ``change(from:to:)`` and of ``set(_:settings:)-(SystemAuthentication,_)``.
    public func addSystemAuthentication(_ authentication: SystemAuthentication, with pin: Secret) async throws {
        try await requireProtectedStore()
        try await authentication.request()
        // With a new key, one that a killed program left in the secret store opens nothing.
        try await replaceKey(pin, pin) { methods throws(LatchError) in
            guard !methods.contains(.system) else { throw Self.exists }
            return true
        }
    }

    /// Removes the system's authentication. The PIN remains. The key of the lock is replaced, because the secret store
    /// contained it.
    ///
    /// - Throws: The errors of ``change(from:to:)``; ``LatchError/Code/invalidRequest`` when it was not set.
    public func removeSystemAuthentication(with pin: Secret) async throws {
        try await replaceKey(pin, pin) { methods throws(LatchError) in
            guard methods.contains(.system) else { throw Self.noSystemAuthentication }
            return false
        }
    }

    /// Stores the key of the lock in the secret store.
    func storeSystemKey(_ key: Secret, of record: inout LockRecord) async throws {
        try vault.setUnrecordedKey(record.id)
        try await vault.store.write(Secret(key.withBytes(Base64URL.encode)), for: LockVault.systemKeyName(record.id))
        try accounts.hook.after(.lockSecretWritten)
        record.hasSystemKey = true
    }

    private func changing(
        after authentication: SystemAuthentication, _ body: @escaping @Sendable (LockRecord?) async throws -> Void
    ) async throws {
        guard try record()?.hasSystemKey == true else { throw Self.noSystemAuthentication }
        // Before the lock on the record, so that other programs do not wait for the person.
        try await authentication.request()
        try await changing(body)
    }

    /// Reads the key from the secret store and unlocks. The person has authenticated.
    private func openSystemKey(of record: LockRecord?) async throws -> (record: LockRecord, key: Secret) {
        guard let record, record.hasSystemKey else { throw Self.noSystemAuthentication }
        guard let text = try await vault.store.read(LockVault.systemKeyName(record.id)),
            let key = Base64URL.decode(text.reveal()).map({ Secret(bytes: $0) }), record.isKey(key)
        else {
            throw LatchError(
                .secretStoreFailed,
                "The secret store no longer contains the key of the lock. Use the PIN if there is one, restore the "
                    + "secret store, or remove the lock and sign in again.",
                remedy: .removeLock)
        }
        vault.unlock(record, with: key)
        return (record, key)
    }

    /// Refuses a sealed file, because a copy of the disk would have the key of the lock and the file that it protects.
    package func requireProtectedStore() async throws {
        guard let secrets = vault.store as? DeviceSecrets, try await secrets.open().kind == .file else { return }
        throw LatchError(
            .systemAuthenticationUnavailable,
            "The system's authentication needs the Secret Service of a desktop for the key of the lock, but the secrets "
                + "of this device are in a sealed file. Use a PIN instead.")
    }

    private static let noSystemAuthentication = LatchError(
        .invalidRequest, "The system's authentication does not unlock this device. Set it first.")
}
