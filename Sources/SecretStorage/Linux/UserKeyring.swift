internal import CKeyUtils
import CLibrary
package import Crypto

/// Secrets in the kernel's keyring of this user. All programs of the user can read them, until a timeout.
///
/// The kernel holds them in memory only. Where the kernel has no keyrings, or refuses them, nothing can be stored.
///
/// Source: user-keyring(7), keyctl(2).
package enum UserKeyring {
    private static let type = "user"
    /// The maximum length of a secret, in bytes.
    private static let maximumCount = 1024

    /// Stores a secret under a name and replaces the previous one.
    ///
    /// - Parameters:
    ///   - secret: At most 1024 bytes.
    ///   - name: The name.
    ///   - timeout: After this time the kernel removes the secret. Rounded up to seconds.
    /// - Returns: Whether the secret is stored. If not, none is stored under that name.
    package static func store(_ secret: Secret, as name: String, timeout: Duration) -> Bool {
        guard secret.count <= maximumCount else { return false }
        let key = secret.withUnsafeBytes {
            add_key(type, name, $0.baseAddress, $0.count, KEY_SPEC_USER_KEYRING)
        }
        guard key >= 0 else { return false }
        // A program in another session owns the key by its user only, because its session does not contain the keyring.
        let permissions = UInt32(
            KEY_POS_ALL | KEY_USR_VIEW | KEY_USR_READ | KEY_USR_WRITE | KEY_USR_SEARCH | KEY_USR_SETATTR)
        guard keyctl_set_timeout(key, seconds(timeout)) == 0, keyctl_setperm(key, permissions) == 0 else {
            _ = keyctl_invalidate(key)
            return false
        }
        return true
    }

    /// Replaces the secret with a name and begins its timeout again. Does nothing when there is none, also when another
    /// program removes it at the same time.
    ///
    /// - Parameters:
    ///   - secret: At most 1024 bytes.
    ///   - name: The name.
    ///   - timeout: As in ``store(_:as:timeout:)``.
    package static func extend(_ secret: Secret, as name: String, timeout: Duration) {
        let key = find(name)
        guard key >= 0, secret.count <= maximumCount,
            secret.withUnsafeBytes({ keyctl_update(key, $0.baseAddress, $0.count) }) == 0
        else { return }
        _ = keyctl_set_timeout(key, seconds(timeout))
    }

    /// Zero would mean that the kernel keeps the secret without a limit.
    private static func seconds(_ timeout: Duration) -> UInt32 {
        UInt32(clamping: max(1, timeout.components.seconds + (timeout.components.attoseconds > 0 ? 1 : 0)))
    }

    /// Returns the secret with a name. Nil when there is none, or its time is over.
    package static func read(_ name: String) -> Secret? {
        let key = find(name)
        guard key >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: maximumCount)
        defer { wipe(&bytes) }
        let count = bytes.withUnsafeMutableBytes {
            keyctl_read(key, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard count >= 0, count <= maximumCount else { return nil }
        var secret = Array(bytes.prefix(count))
        defer { wipe(&secret) }
        return Secret(bytes: secret)
    }

    /// Removes the secret with a name. Does nothing when there is none.
    package static func remove(_ name: String) {
        let key = find(name)
        if key >= 0 { _ = keyctl_invalidate(key) }
    }

    private static func find(_ name: String) -> Int32 {
        Int32(truncatingIfNeeded: keyctl_search(KEY_SPEC_USER_KEYRING, type, name, 0))
    }
}
