import Crypto
import Primitives
import SecretStorage
import Synchronization

/// Where the key of the lock is while it is unlocked.
protocol UnlockedKeyStoring: Sendable {
    /// Stores a secret for at most `timeout`. Returns whether it is stored.
    func store(_ secret: Secret, as name: String, timeout: Duration) -> Bool
    /// Replaces a secret and begins its timeout again. Does nothing when it was removed.
    func extend(_ secret: Secret, as name: String, timeout: Duration)
    /// Returns the secret with a name. Nil when there is none.
    func read(_ name: String) -> Secret?
    /// Removes the secret with a name.
    func remove(_ name: String)
}

/// The kernel's keyring, which all programs of the user share. If it is not available, the memory of this process.
///
/// Source: user-keyring(7).
final class SharedKeys: UnlockedKeyStoring {
    private let own = ProcessKeys()

    func store(_ secret: Secret, as name: String, timeout: Duration) -> Bool {
        if UserKeyring.store(secret, as: name, timeout: timeout) { return true }
        return own.store(secret, as: name, timeout: timeout)
    }

    func extend(_ secret: Secret, as name: String, timeout: Duration) {
        UserKeyring.extend(secret, as: name, timeout: timeout)
        own.extend(secret, as: name, timeout: timeout)
    }

    func read(_ name: String) -> Secret? { UserKeyring.read(name) ?? own.read(name) }

    func remove(_ name: String) {
        UserKeyring.remove(name)
        own.remove(name)
    }
}

/// The memory of this process. Nothing is removed at a timeout; ``LockVault`` checks the time too.
final class ProcessKeys: UnlockedKeyStoring {
    private let secrets = Mutex<[String: Secret]>([:])

    func store(_ secret: Secret, as name: String, timeout: Duration) -> Bool {
        secrets.withLock { $0[name] = secret }
        return true
    }

    func extend(_ secret: Secret, as name: String, timeout: Duration) {
        secrets.withLock { if $0[name] != nil { $0[name] = secret } }
    }

    func read(_ name: String) -> Secret? { secrets.withLock { $0[name] } }
    func remove(_ name: String) { secrets.withLock { $0[name] = nil } }
}

/// The key of the lock with the time at which it must no longer be used: 8 bytes of milliseconds since the boot, and
/// the key.
///
/// The kernel measures its timeout with the clock that a person can set, so this time is checked too.
struct UnlockedKey {
    let key: Secret
    let end: Duration

    init(key: Secret, end: Duration) { (self.key, self.end) = (key, end) }

    init?(_ stored: Secret) {
        let parts: (Secret, Int64)? = stored.withBytes { bytes in
            guard bytes.count == 8 + SealedBox.keyCount else { return nil }
            return (Secret(bytes: Array(bytes[8...])), bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
        }
        guard let parts else { return nil }
        self.init(key: parts.0, end: .milliseconds(parts.1))
    }

    /// The stored form.
    var stored: Secret {
        let milliseconds = end.wholeMilliseconds
        return key.withBytes { key in
            Secret(bytes: (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (56 - 8 * $0)) } + key)
        }
    }
}
