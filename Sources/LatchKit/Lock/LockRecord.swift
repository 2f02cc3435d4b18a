import Crypto
import FoundationEssentials
import HTTPMessages
import SecretStorage

/// The lock of this device as stored in the file `lock.json`, next to the accounts database.
///
/// The key of the lock is the private key of a pair. Any program can seal a secret with the public key. With a PIN the
/// private key is sealed with a key from the PIN, by Argon2id, and a random secret in the secret store. With the
/// system's authentication it is in the secret store.
///
/// Source: RFC 9106; docs/lock.md.
struct LockRecord: Sendable, Equatable, Codable {
    /// A replaced key, while some secrets may still be sealed for it.
    struct ReplacedKey: Sendable, Equatable, Codable {
        var id: String
        /// The private key, sealed for the current public key.
        var box: String
    }

    var version = 1
    var phase = LockPhaseStateMachine()
    var tries = LockTryStateMachine()
    var settings = DeviceLock.Settings()
    /// Identifies the key in the kernel's keyring, in the secret store and in sealed secrets.
    var id: String
    var publicKey: String
    var salt = ""
    var memoryKiB = 0
    var iterations = 0
    /// The private key, sealed with the PIN. Empty when there is no PIN, or when the key is deleted.
    var box = ""
    /// Whether the private key is in the secret store, see ``LockVault/systemKeyName(_:)``, so that the system's
    /// authentication unlocks.
    var hasSystemKey = false
    var replaced: ReplacedKey?
    /// Why the sessions ended, if the key is deleted.
    var reason: String?

    /// Creates a record that nothing unlocks yet.
    init(_ key: Secret) throws(CryptoError) {
        let publicKey = try SealedBox.publicKey(of: key)
        id = Base64URL.encode(Array(SHA256.digest(publicKey).bytes.prefix(12)))
        self.publicKey = Base64URL.encode(publicKey)
    }

    /// What unlocks.
    var methods: Set<DeviceLock.Method> {
        Set(DeviceLock.Method.allCases.filter { $0 == .pin ? !box.isEmpty : hasSystemKey })
    }

    /// Whether a key is the key of the lock.
    func isKey(_ key: Secret) -> Bool {
        key.withBytes(\.count) == SealedBox.keyCount
            && (try? SealedBox.publicKey(of: key)) == Base64URL.decode(publicKey)
    }

    /// Seals the key with a PIN, with a new salt.
    ///
    /// - Throws: ``CryptoError``, also when the memory for Argon2id is not available.
    mutating func wrap(
        _ key: Secret, pin: Secret, deviceSecret: Secret, parameters: Argon2idParameters
    ) throws(CryptoError) {
        salt = Base64URL.encode(SecureRandom.bytes(Argon2id.saltCount))
        (memoryKiB, iterations) = (parameters.memoryKiB, parameters.iterations)
        let wrapping = try wrappingKey(pin, deviceSecret)
        var bytes = key.withBytes { $0 }
        defer { wipe(&bytes) }
        box = Base64URL.encode(try Sealing.seal(bytes, key: wrapping, context: context))
    }

    /// Opens the key of the lock. Nil when the PIN is wrong or the record was modified.
    ///
    /// - Throws: ``CryptoError`` when the memory for Argon2id is not available.
    func open(pin: Secret, deviceSecret: Secret) throws(CryptoError) -> Secret? {
        guard let box = Base64URL.decode(box) else { return nil }
        let wrapping = try wrappingKey(pin, deviceSecret)
        guard var bytes = try? Sealing.open(box, key: wrapping, context: context) else { return nil }
        defer { wipe(&bytes) }
        return Secret(bytes: bytes)
    }

    /// Whether the key is sealed with less work than `parameters`.
    func isWeaker(than parameters: Argon2idParameters) -> Bool {
        memoryKiB < parameters.memoryKiB || iterations < parameters.iterations
    }

    private var context: [UInt8] { Array("latchstring lock 1 \(publicKey) \(memoryKiB) \(iterations)".utf8) }

    private func wrappingKey(_ pin: Secret, _ deviceSecret: Secret) throws(CryptoError) -> Secret {
        let parameters = try Argon2idParameters(memoryKiB: memoryKiB, iterations: iterations)
        let stretched = try Argon2id.key(passphrase: pin, salt: Base64URL.decode(salt) ?? [], parameters: parameters)
        var bytes = deviceSecret.withBytes { HMACSHA256.code(of: $0, key: stretched).bytes }
        defer { wipe(&bytes) }
        return Secret(bytes: bytes)
    }
}

extension LockRecord {
    /// Reads a record. Nil when the text is not a record, or requires more work than the limits allow.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSON.decode(LockRecord.self, from: bytes), record.version == 1,
            record.box.isEmpty || record.hasAllowedParameters,
            Base64URL.decode(record.publicKey)?.count == SealedBox.keyCount, record.settings.isValid,
            record.tries.isValid
        else { return nil }
        self = record
    }

    private var hasAllowedParameters: Bool {
        (try? Argon2idParameters(memoryKiB: memoryKiB, iterations: iterations))?.isWithinLimits ?? false
    }
}
