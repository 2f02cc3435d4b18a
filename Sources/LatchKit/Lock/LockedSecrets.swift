import Crypto
import FoundationEssentials
import HTTPMessages
import SecretStorage

/// A wrapper of the secret store. While there is a lock, it seals what is written, and opens what is read if the lock
/// is unlocked.
///
/// Writing does not require the PIN, so that a token that a server has renewed is never lost. A secret whose key was
/// deleted counts as absent.
///
/// Source: docs/lock.md.
struct LockedSecrets: SecretStoring {
    let vault: LockVault

    var label: String { vault.store.label }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        var before: Secret?
        while true {
            guard let stored = try await vault.store.read(key) else { return nil }
            guard let sealed = SealedSecret(stored) else { return stored }
            if let opener = try vault.key(for: sealed.keyID) { return try sealed.open(with: opener, named: key) }
            // Another program may have sealed the secret for another key between the two reads.
            if before == stored { return nil }
            before = stored
        }
    }

    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        try await vault.store.write(try vault.seal(secret, named: key), for: key)
    }

    func remove(_ key: SecretKey) async throws(SecretStorageError) { try await vault.store.remove(key) }

    func check() async throws(SecretStorageError) {
        try vault.requireUnlocked()
        try await vault.store.check()
    }
}

/// A secret that is sealed for the key of a lock, as it is stored: `latch-lock:1:`, the id of the key, a colon, and the
/// box in base64url. The box contains the SHA-256 of the secret's name before the secret, so that a secret cannot be
/// moved to another account.
struct SealedSecret {
    private static let prefix = Array("latch-lock:1:".utf8)

    let keyID: String
    private let box: [UInt8]

    /// Reads a stored secret. Nil when it is not sealed.
    init?(_ stored: Secret) {
        let parts: (String, [UInt8])? = stored.withBytes { bytes in
            guard bytes.starts(with: Self.prefix) else { return nil }
            let rest = bytes.dropFirst(Self.prefix.count).split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            guard rest.count == 2, let box = Base64URL.decode(String(decoding: rest[1], as: UTF8.self)) else {
                return nil
            }
            return (String(decoding: rest[0], as: UTF8.self), box)
        }
        guard let parts else { return nil }
        (keyID, box) = parts
    }

    /// Returns the stored form of a secret.
    static func seal(
        _ secret: Secret, named name: SecretKey, for publicKey: [UInt8], id: String
    ) throws(CryptoError) -> Secret {
        var plaintext = secret.withBytes { digest(of: name) + $0 }
        defer { wipe(&plaintext) }
        let box = try SealedBox.seal(plaintext, for: publicKey)
        return Secret(bytes: prefix + Array("\(id):\(Base64URL.encode(box))".utf8))
    }

    /// Opens the secret.
    ///
    /// - Throws: ``SecretStorageError`` with code ``SecretStorageError/Code/damaged`` when the box was modified, or was
    ///   sealed under another name.
    func open(with key: Secret, named name: SecretKey) throws(SecretStorageError) -> Secret {
        let digest = Self.digest(of: name)
        guard var plaintext = try? SealedBox.open(box, with: key), plaintext.starts(with: digest) else {
            throw SecretStorageError(
                .damaged, "Could not open a secret of this device: it was modified. Sign in to the account again.")
        }
        defer { wipe(&plaintext) }
        return Secret(bytes: Array(plaintext.dropFirst(digest.count)))
    }

    private static func digest(of name: SecretKey) -> [UInt8] {
        SHA256.digest([name.service, name.account, name.id ?? ""].joined(separator: "\0")).bytes
    }
}
