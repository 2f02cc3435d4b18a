import Crypto
import Dispatch
import FoundationEssentials
import SecretStorage

extension DeviceLock {
    /// Sets a PIN, and seals the secrets of all accounts. The lock is unlocked afterwards.
    ///
    /// - Throws: ``LatchError/Code/weakPassword``; ``LatchError/Code/invalidRequest`` when there is a lock already; a
    ///   code of the secret store or the storage. If some secrets could not be sealed, the next start seals them.
    public func set(_ pin: Secret, settings: Settings = Settings()) async throws {
        try Self.check(pin)
        try Self.check(settings)
        try await changing { record in
            guard record == nil else { throw Self.exists }
            let key = Secret.random(SealedBox.keyCount)
            var made = try LockRecord(key)
            made.settings = settings
            try await made.wrapOnThread(key, pin, try await makeDeviceSecret(of: made), vault.parameters)
            try await begin(&made, with: key)
        }
    }

    /// Replaces the PIN and the key of the lock, and seals all secrets again.
    ///
    /// - Throws: The errors of ``unlock(with:)-(Secret)``; ``LatchError/Code/weakPassword``.
    public func change(from old: Secret, to new: Secret) async throws {
        try Self.check(new)
        try await replaceKey(old, new) { $0.contains(.system) }
    }

    /// Replaces the PIN and the key of the lock. `usesSystem` gets what unlocks now, and returns whether the system's
    /// authentication unlocks afterwards.
    func replaceKey(
        _ old: Secret, _ new: Secret, usesSystem: @escaping @Sendable (Set<Method>) throws(LatchError) -> Bool
    ) async throws {
        try await changing { record in
            guard let methods = record?.methods else { throw Self.none }
            // Before the PIN is checked, so that a change that is not possible costs no try.
            let usesSystem = try usesSystem(methods)
            let opened = try await open(record, with: old)
            var record = opened.record
            // Only one replaced key can be recorded, so the work of an earlier change is finished first.
            guard try await finish(&record) else { return }
            let newKey = Secret.random(SealedBox.keyCount)
            var next = try LockRecord(newKey)
            next.settings = record.settings
            try await next.wrapOnThread(newKey, new, try await makeDeviceSecret(of: next), vault.parameters)
            if usesSystem { try await storeSystemKey(newKey, of: &next) }
            var bytes = opened.key.withBytes { $0 }
            defer { wipe(&bytes) }
            let publicKey = Base64URL.decode(next.publicKey) ?? []
            next.replaced = .init(id: record.id, box: Base64URL.encode(try SealedBox.seal(bytes, for: publicKey)))
            try await begin(&next, with: newKey, insteadOf: record)
        }
    }

    /// Removes the PIN, and stores all secrets unsealed.
    ///
    /// - Throws: The errors of ``unlock(with:)-(Secret)``. If the work is interrupted, the next start or
    ///   ``unlock(with:)-(Secret)`` finishes it.
    public func remove(with pin: Secret) async throws {
        try await changing { record in try await remove(try await open(record, with: pin).record) }
    }

    /// Stores all secrets unsealed and deletes the record, which is unlocked.
    func remove(_ record: LockRecord) async throws {
        var record = record
        guard try await finish(&record) else { return }
        record.phase.remove()
        try vault.store(record)
        try accounts.hook.after(.lockRecorded)
        _ = try await finish(&record)
    }

    /// Removes the lock without the PIN. All accounts stay in the list, and must sign in again.
    public func forget() async throws {
        try await changing(acceptsDamage: true) { record in
            try await forget(record, because: "the PIN of this device was removed without entering it")
        }
    }

    /// Changes the settings.
    ///
    /// - Throws: ``LatchError/Code/invalidRequest`` when there is no PIN; ``LatchError/Code/pinRequired``.
    public func changeSettings(_ settings: Settings) async throws {
        try Self.check(settings)
        try await changing { record in
            guard var record else { throw Self.none }
            guard let key = vault.unlockedKey(record) else { throw LockVault.locked(record) }
            record.settings = settings
            try vault.store(record)
            vault.extend(record, with: key)
        }
    }

    /// Unlocks, for all programs, until the lock is locked or not used for the time of ``Settings/idleSeconds``.
    ///
    /// A try counts as wrong before it is checked. After the third wrong try the next one must wait, at first 15
    /// seconds. After ten wrong tries the key is deleted, and every account must sign in again.
    ///
    /// - Throws: ``LatchError/Code/wrongPIN``; ``LatchError/Code/rateLimited`` with the time to wait;
    ///   ``LatchError/Code/sessionEnded`` after the tenth wrong try; ``LatchError/Code/invalidRequest`` when there is
    ///   no PIN; a code of the secret store or the storage.
    public func unlock(with pin: Secret) async throws {
        try await changing { record in
            var (record, key) = try await open(record, with: pin)
            if record.isWeaker(than: vault.parameters) {
                try await record.wrapOnThread(key, pin, try await deviceSecret(of: record), vault.parameters)
                try vault.store(record)
            }
            _ = try await finish(&record)
        }
    }

    /// Finishes what a killed program left behind, as far as that is possible without the PIN.
    func recover() async throws {
        guard try record()?.phase.unfinished != nil || vault.unrecordedKey() != nil else { return }
        try await changing { record in
            guard var record else { return }
            if record.phase.isForgotten { return try await forget(record, because: record.reason ?? "") }
            // It fails at the first secret that only the missing key opens.
            _ = try await finish(&record)
        }
    }

    /// Stores a record with a new key, unlocks it and seals all secrets. The key of the old record is not needed any more.
    func begin(_ record: inout LockRecord, with key: Secret, insteadOf old: LockRecord? = nil) async throws {
        // The new key before its record and the old key after it, so that no program sees the lock locked in between.
        vault.unlock(record, with: key)
        try vault.store(record)
        if let old { vault.lock(old) }
        try accounts.hook.after(.lockRecorded)
        try vault.setUnrecordedKey(nil)
        _ = try await finish(&record)
    }

    /// Counts a try, opens the key with a PIN and unlocks.
    private func open(_ record: LockRecord?, with pin: Secret) async throws -> (record: LockRecord, key: Secret) {
        guard var record else { throw Self.none }
        guard record.methods.contains(.pin) else { throw Self.noPIN }
        let deviceSecret = try await deviceSecret(of: record)
        switch record.tries.begin(at: vault.now()) {
        case .wait(let pause): throw Self.tooManyTries(pause)
        case .forget: throw try await forgetAfterLastTry(record)
        case .check: break
        }
        try vault.store(record)
        try accounts.hook.after(.lockTryCounted)
        guard let key = try await record.key(pin, deviceSecret) else {
            if record.tries.left == 0 { throw try await forgetAfterLastTry(record) }
            throw Self.wrongPIN(record.tries.left, record.tries.pause(at: vault.now()))
        }
        record.tries.succeeded()
        try vault.store(record)
        vault.unlock(record, with: key)
        return (record, key)
    }

    private func forgetAfterLastTry(_ record: LockRecord) async throws -> LatchError {
        try await forget(
            record, because: "the PIN of this device was entered wrongly \(LockTryStateMachine.limit) times")
        return LatchError(
            .sessionEnded,
            "The PIN was wrong \(LockTryStateMachine.limit) times, so the secrets of all accounts were deleted and the "
                + "lock was removed. Sign in to each account again.")
    }

    /// Runs a change while no other program changes the lock, and completes it even when the caller is cancelled.
    func changing(
        acceptsDamage: Bool = false, _ body: @escaping @Sendable (LockRecord?) async throws -> Void
    ) async throws {
        try await LatchError.converting {
            let lock = try await accounts.locks.lock(named: Self.lockName)
            defer { lock.release() }
            let record = acceptsDamage ? try? vault.record() : try vault.record()
            try await Task {
                try await removeUnrecordedKey(record)
                try await body(record)
            }.value
        }
    }

    /// Stores a new random secret that is needed besides the PIN.
    func makeDeviceSecret(of record: LockRecord) async throws -> Secret {
        let secret = Secret.random(Sealing.keyCount)
        try vault.setUnrecordedKey(record.id)
        try await vault.store.write(
            Secret(secret.withBytes(Base64URL.encode)), for: LockVault.deviceSecretName(record.id))
        try accounts.hook.after(.lockSecretWritten)
        return secret
    }

    private func deviceSecret(of record: LockRecord) async throws -> Secret {
        guard let text = try await vault.store.read(LockVault.deviceSecretName(record.id)),
            let bytes = Base64URL.decode(text.reveal())
        else {
            throw LatchError(
                .secretStoreFailed,
                "The secret store no longer contains the secret that is needed besides the PIN. Restore the secret "
                    + "store, or remove the lock and sign in again.",
                remedy: .removeLock)
        }
        return Secret(bytes: bytes)
    }
}

extension LockRecord {
    /// Seals the key with a PIN on a thread of its own, because Argon2id takes about half a second.
    mutating func wrapOnThread(
        _ key: Secret, _ pin: Secret, _ deviceSecret: Secret, _ parameters: Argon2idParameters
    ) async throws {
        let old = self
        self = try await Self.onThread {
            var record = old
            try record.wrap(key, pin: pin, deviceSecret: deviceSecret, parameters: parameters)
            return record
        }
    }

    /// Opens the key on a thread of its own. Nil when the PIN is wrong.
    func key(_ pin: Secret, _ deviceSecret: Secret) async throws -> Secret? {
        try await Self.onThread { try open(pin: pin, deviceSecret: deviceSecret) }
    }

    private static func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "latchstring.argon2id").async { continuation.resume(with: Result { try body() }) }
        }
    }
}
