import Crypto
import FoundationEssentials
import HTTPMessages
import SecretStorage
import Synchronization

/// The record of the lock and its key while it is unlocked. ``DeviceLock`` changes them; ``LockedSecrets`` uses them.
///
/// The record is read from its file at every use, because another program may have changed it.
final class LockVault: Sendable {
    /// The name of the random secret that is needed besides the PIN, for the key with an id. The id is in the name because
    /// several data folders may share a secret store, and a replaced key has secrets until the record names the new one.
    static func deviceSecretName(_ id: String) -> SecretKey {
        SecretKey(service: "latchstring", account: "lock-secret", id: id)
    }

    /// The name of the key with an id, for the system's authentication.
    static func systemKeyName(_ id: String) -> SecretKey {
        SecretKey(service: "latchstring", account: "lock-key", id: id)
    }

    /// The path of the record.
    let path: String
    /// The secret store, without the lock.
    let store: any SecretStoring
    let parameters: Argon2idParameters
    let now: @Sendable () -> BootTime
    private let keys: any UnlockedKeyStoring
    /// The key that running downloads hold, whatever the lock says, with the number of its holders.
    private let retained = Mutex<(id: String, key: Secret, holders: Int)?>(nil)

    init(
        path: String, store: any SecretStoring, parameters: Argon2idParameters, keys: any UnlockedKeyStoring,
        now: @escaping @Sendable () -> BootTime
    ) {
        self.path = path
        self.store = store
        self.parameters = parameters
        self.keys = keys
        self.now = now
    }

    /// Returns the record. Nil when there is no lock.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/lockDamaged`` when the file cannot be decoded.
    ///   It never counts as absent then, because secrets would be stored without a seal.
    func record() throws(SecretStorageError) -> LockRecord? {
        guard let bytes = try PrivateFile.read(path) else { return nil }
        if let record = LockRecord(bytes) { return record }
        throw SecretStorageError(
            .lockDamaged,
            "Could not read the lock '\(path)': it was modified, or a later version wrote it. Restore it from a "
                + "backup, or remove the lock and sign in again.")
    }

    /// Replaces the record durably. The caller holds the lock named ``DeviceLock/lockName``.
    func store(_ record: LockRecord) throws(SecretStorageError) {
        try PrivateFile.replace(path, with: JSON.encode(record))
    }

    /// The id of a key whose secrets are in the secret store, or will be, while no record may name it. Nil: there is none.
    func unrecordedKey() throws(SecretStorageError) -> String? {
        try PrivateFile.read(unrecordedPath).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Stores the id of a key durably, before the secret store gets its secrets. Nil: the record names the key, or its secrets
    /// are removed. The caller holds the lock named ``DeviceLock/lockName``.
    func setUnrecordedKey(_ id: String?) throws(SecretStorageError) {
        if let id {
            try PrivateFile.replace(unrecordedPath, with: Array(id.utf8))
        } else {
            try PrivateFile.remove(unrecordedPath)
        }
    }

    private var unrecordedPath: String { path + ".next" }

    /// Returns the key with an id. Nil when no lock has it, so that nothing can be opened with it any more.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/pinRequired`` when the lock is locked.
    func key(for id: String) throws(SecretStorageError) -> Secret? {
        guard let (record, key) = try current(), [record.id, record.replaced?.id].contains(id) else { return nil }
        guard let key else { throw Self.locked(record) }
        guard id != record.id, let replaced = record.replaced else { return key }
        guard let box = Base64URL.decode(replaced.box), var bytes = try? SealedBox.open(box, with: key) else {
            return nil
        }
        defer { wipe(&bytes) }
        return Secret(bytes: bytes)
    }

    /// Returns what is to be stored for a secret: sealed if there is a lock.
    func seal(_ secret: Secret, named name: SecretKey) throws(SecretStorageError) -> Secret {
        guard let record = try record(), record.phase.sealsSecrets else { return secret }
        return try Self.seal(secret, named: name, for: record)
    }

    static func seal(
        _ secret: Secret, named name: SecretKey, for record: LockRecord
    ) throws(SecretStorageError) -> Secret {
        do throws(CryptoError) {
            let publicKey = Base64URL.decode(record.publicKey) ?? []
            return try SealedSecret.seal(secret, named: name, for: publicKey, id: record.id)
        } catch {
            throw SecretStorageError(.io, "Could not seal a secret for the lock of this device: \(error.message)")
        }
    }

    /// Checks that there is no lock, or that it is unlocked. Counts as a use of the lock.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/pinRequired``.
    func requireUnlocked() throws(SecretStorageError) {
        if let (record, key) = try current(), key == nil { throw Self.locked(record) }
    }

    /// Returns the record with its key, which is nil while the lock is locked. Nil when there is no lock. If it counts as a
    /// use, the time without use begins again.
    func current(isUse: Bool = true) throws(SecretStorageError) -> (record: LockRecord, key: Secret?)? {
        var before: String?
        while let record = try record(), !record.phase.isForgotten {
            let key = unlockedKey(record, isUse: isUse)
            // Another program may have replaced or removed the lock between the two reads.
            if key != nil || record.id == before { return (record, key) }
            before = record.id
        }
        return nil
    }

    /// Returns the key if the lock is unlocked. If it counts as a use, the time without use begins again.
    func unlockedKey(_ record: LockRecord, isUse: Bool = true) -> Secret? {
        // The settings may have changed since the key was retained.
        if record.settings.continuesDownloads, let retained = retained.withLock({ $0 }), retained.id == record.id {
            return retained.key
        }
        guard let stored = keys.read(Self.name(record)), let unlocked = UnlockedKey(stored) else { return nil }
        let (now, idle) = (now().uptime, record.settings.idle)
        guard unlocked.end > now else {
            keys.remove(Self.name(record))
            return nil
        }
        // Not at every use, because a program may use the key thousands of times in a second.
        if isUse, unlocked.end < now + idle - .seconds(1) { extend(record, with: unlocked.key) }
        return unlocked.key
    }

    /// Stores the key for the time without use.
    func unlock(_ record: LockRecord, with key: Secret) {
        let idle = record.settings.idle
        _ = keys.store(UnlockedKey(key: key, end: now().uptime + idle).stored, as: Self.name(record), timeout: idle)
    }

    /// Begins the time without use again. A key that another program removed meanwhile stays removed.
    func extend(_ record: LockRecord, with key: Secret) {
        let idle = record.settings.idle
        keys.extend(UnlockedKey(key: key, end: now().uptime + idle).stored, as: Self.name(record), timeout: idle)
    }

    /// Removes the key, for all programs. A program that retains it keeps it.
    func lock(_ record: LockRecord) { keys.remove(Self.name(record)) }

    /// Keeps the key in this process until ``release()``, if the lock is unlocked. Returns whether it is kept.
    func retain() throws(SecretStorageError) -> Bool {
        guard let (record, key) = try current(), let key else { return false }
        retained.withLock { $0 = (record.id, key, ($0?.holders ?? 0) + 1) }
        return true
    }

    /// Removes the key that ``retain()`` kept, unless there are other holders.
    func release() {
        retained.withLock { retained in
            guard let last = retained else { return }
            retained = last.holders > 1 ? (last.id, last.key, last.holders - 1) : nil
        }
    }

    private static func name(_ record: LockRecord) -> String { "latchstring-lock:\(record.id)" }

    static func locked(_ record: LockRecord) -> SecretStorageError {
        let remedy = record.methods.contains(.pin) ? "Enter the PIN of this device" : "Authenticate to the system"
        return SecretStorageError(.pinRequired, "The accounts of this device are locked. \(remedy) to unlock them.")
    }
}
