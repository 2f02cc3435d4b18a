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
        // Only now, because a sealed secret may have needed the replaced key.
        try await removeSystemKeys(except: record.systemKeySlot)
        try accounts.hook.after(.lockKeyRemoved)
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
            (record.box, record.systemKeySlot, record.replaced, record.reason) = ("", nil, nil, reason)
            vault.lock(record)
            try vault.store(record)
            try accounts.hook.after(.lockForgotten)
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

    /// Deletes the record, then what only it needs.
    private func delete(_ record: LockRecord?) async throws {
        if let record { vault.lock(record) }
        try PrivateFile.remove(vault.path)
        try accounts.hook.after(.lockFinished)
        try await vault.store.remove(LockVault.deviceSecretName)
        try await removeSystemKeys(except: nil)
    }

    private func removeSystemKeys(except slot: Int?) async throws {
        for other in LockVault.systemKeySlots where other != slot {
            try await vault.store.remove(LockVault.systemKeyName(other))
        }
    }
}

extension DeviceLock {
    static let none = LatchError(.invalidRequest, "This device has no PIN. Set one first.")
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
