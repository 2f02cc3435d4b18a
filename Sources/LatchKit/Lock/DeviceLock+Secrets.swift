import Crypto
import Database
import FoundationEssentials
import SecretStorage

extension DeviceLock {
    /// Does the work of the record's phase. The caller holds the lock named ``lockName``.
    ///
    /// - Returns: Whether the lock still exists.
    func finish(_ record: inout LockRecord) async throws -> Bool {
        guard let work = record.phase.unfinished else { return true }
        let current = record
        // The replaced key itself is in the record, sealed for the new one.
        if let replaced = record.replaced { try await removeKeySecrets(replaced.id) }
        try await accounts.eachAccount { id in
            for name in try await accounts.secrets.names(of: id) {
                if work == .seal { try await seal(name, for: current) } else { try await unseal(name) }
                try accounts.hook.after(.secretResealed)
            }
        }
        guard record.phase.finished() == .store else {
            try await delete(record)
            return false
        }
        record.replaced = nil
        try vault.store(record)
        try accounts.hook.after(.lockFinished)
        return true
    }

    private func seal(_ name: SecretKey, for record: LockRecord) async throws {
        guard let stored = try await vault.store.read(name) else { return }
        guard let sealed = SealedSecret(stored) else {
            return try await vault.store.write(try LockVault.seal(stored, named: name, for: record), for: name)
        }
        // A secret whose key was deleted stays as it is, and counts as absent.
        guard sealed.keyID != record.id, let key = try vault.key(for: sealed.keyID) else { return }
        let secret = try sealed.open(with: key, named: name)
        try await vault.store.write(try LockVault.seal(secret, named: name, for: record), for: name)
    }

    private func unseal(_ name: SecretKey) async throws {
        guard let stored = try await vault.store.read(name), let sealed = SealedSecret(stored),
            let key = try vault.key(for: sealed.keyID)
        else { return }
        try await vault.store.write(try sealed.open(with: key, named: name), for: name)
    }

    /// Deletes the key of the lock, ends all sessions and removes all secrets, then deletes the record. The caller
    /// holds the lock named ``lockName``.
    func forget(_ record: LockRecord?, because reason: String) async throws {
        if var record {
            record.phase.forget()
            (record.box, record.hasSystemKey, record.reason) = ("", false, reason)
            record.replaced?.box = ""
            vault.lock(record)
            try vault.store(record)
            try accounts.hook.after(.lockForgotten)
            try await removeKeySecrets(of: record)
        }
        try await accounts.eachAccount { id in
            if let session = try await accounts.record(id), session.stage == .in {
                _ = try await accounts.end(id, of: session.generation, because: reason)
            }
            try await accounts.removeSecrets(id)
            // An account that is not complete has no endpoints, and unreadable ones are not used.
            try? await accounts.removeEndpointsWithSecrets(of: id)
        }
        try await delete(record)
    }

    /// Deletes the record, after what only it names. No secret is sealed any more.
    private func delete(_ record: LockRecord?) async throws {
        if let record { try await removeKeySecrets(of: record) }
        try PrivateFile.remove(vault.path)
        // After the record, so that no program sees the lock locked in between.
        if let record { vault.lock(record) }
        try accounts.hook.after(.lockFinished)
    }

    private func removeKeySecrets(of record: LockRecord) async throws {
        for id in [record.id, record.replaced?.id].compactMap(\.self) { try await removeKeySecrets(id) }
    }

    /// Removes from the secret store what a program stored that was killed before the record named its new key.
    func removeUnrecordedKey(_ record: LockRecord?) async throws {
        guard let id = try vault.unrecordedKey() else { return }
        if id != record?.id { try await removeKeySecrets(id) }
        try vault.setUnrecordedKey(nil)
    }

    /// Removes from the secret store what unlocked a key.
    private func removeKeySecrets(_ id: String) async throws {
        try await vault.store.remove(LockVault.systemKeyName(id))
        try await vault.store.remove(LockVault.deviceSecretName(id))
        try accounts.hook.after(.lockKeyRemoved)
    }
}

extension DeviceLock {
    static let none = LatchError(.invalidRequest, "This device has no lock. Set one first.")
    static let noPIN = LatchError(
        .invalidRequest,
        "This device has no PIN: the system's authentication unlocks it. Authenticate to the system instead.")
    static let exists = LatchError(.invalidRequest, "This device has a lock already. Change it instead.")

    static func check(_ settings: Settings) throws(LatchError) {
        guard !settings.isValid else { return }
        throw LatchError(
            .invalidRequest, "The time without use cannot be \(settings.idleSeconds) seconds. Use 10 to 86400 seconds.")
    }

    static func tooManyTries(_ pause: Duration) -> LatchError {
        LatchError(
            .rateLimited,
            "The PIN was wrong too often. Wait \(seconds(pause)) seconds before the next try. Setting the clock does "
                + "not shorten the wait, and a restart begins it again.",
            retryAfter: .seconds(seconds(pause)))
    }

    static func wrongPIN(_ left: Int, _ pause: Duration) -> LatchError {
        let wait = pause > .zero ? " Wait \(seconds(pause)) seconds before the next one." : ""
        let tries = left == 1 ? "1 try is left" : "\(left) tries are left"
        return LatchError(
            .wrongPIN,
            "The PIN of this device is wrong. \(tries) before you must sign in to every account again.\(wait)")
    }

    private static func seconds(_ pause: Duration) -> Int {
        Int(pause.components.seconds) + (pause.components.attoseconds > 0 ? 1 : 0)
    }
}

extension AccountStore {
    /// Calls `body` for every account, also incomplete ones, while it holds the account's lock.
    func eachAccount(_ body: (UUID) async throws -> Void) async throws {
        let ids = try await LatchError.converting { try await database.read { try $0.all(Self.everyID) } }
        for id in ids {
            let lock = try await locks.lock(id)
            defer { lock.release() }
            try await body(id)
        }
    }
}
