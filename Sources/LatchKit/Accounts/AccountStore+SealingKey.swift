package import Crypto
import FoundationEssentials
import SecretStorage

extension AccountStore {
    /// Returns the key with which other modules seal secret data that they store about an account.
    ///
    /// The key has 32 bytes. It is created on first use and stored in the secret store. It is kept when a session ends
    /// and removed with the account.
    ///
    /// - Throws: ``LatchError/Code/noAccount``; a code of the secret store.
    package func sealingKey(of id: Account.ID) async throws -> Secret {
        if let key = try await storedSealingKey(of: id) { return key }
        // The lock prevents two programs from creating different keys, and a key from being created for an account that
        // is being removed.
        let lock = try await LatchError.converting { try await locks.lock(id) }
        defer { lock.release() }
        if let key = try await storedSealingKey(of: id) { return key }
        guard let record = try await record(id), [.in, .out, .wiping].contains(record.stage) else { throw Self.missing }
        let key = Secret(bytes: SecureRandom.bytes(Sealing.keyCount))
        let text = Secret(key.withBytes(Base64URL.encode))
        try await LatchError.converting { try await secrets.write(text, for: Self.sealingKeyName(id)) }
        return key
    }

    private func storedSealingKey(of id: UUID) async throws -> Secret? {
        let key = try await LatchError.converting { try await secrets.read(Self.sealingKeyName(id)) }
        return key.flatMap { Base64URL.decode($0.reveal()) }.map { Secret(bytes: $0) }
    }

    /// The name ends in `downloads` because the download queue was the first to need the key.
    static func sealingKeyName(_ id: UUID) -> SecretKey {
        SecretKey(service: "latchstring", account: id.uuidString.lowercased() + "/downloads")
    }
}

extension Session {
    /// Returns the key that seals what is stored about the session's account; see ``AccountStore/sealingKey(of:)``.
    package func sealingKey() async throws -> Secret { try await accounts.sealingKey(of: accountID) }
}
