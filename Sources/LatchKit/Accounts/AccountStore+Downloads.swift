package import Crypto
import FoundationEssentials
import SecretStorage

extension AccountStore {
    /// Returns the key with which the download queue seals the parts of an account's addresses that may be secret.
    ///
    /// The key has 32 bytes. It is created on first use and stored in the secret store. It is kept when a session ends
    /// and removed with the account.
    ///
    /// - Throws: ``LatchError/Code/noAccount``; a code of the secret store.
    package func downloadKey(of id: Account.ID) async throws -> Secret {
        if let key = try await keptDownloadKey(of: id) { return key }
        // The lock prevents two programs from creating different keys, and a key from being created for an account that
        // is being removed.
        let lock = try await LatchError.converting { try await locks.lock(id) }
        defer { lock.release() }
        if let key = try await keptDownloadKey(of: id) { return key }
        guard let record = try await record(id), [.in, .out, .wiping].contains(record.stage) else { throw Self.missing }
        let key = Secret(bytes: SecureRandom.bytes(Sealing.keyCount))
        let text = Secret(key.withBytes(Base64URL.encode))
        try await LatchError.converting { try await secrets.write(text, for: Self.downloadKeyName(id)) }
        return key
    }

    private func keptDownloadKey(of id: UUID) async throws -> Secret? {
        let kept = try await LatchError.converting { try await secrets.read(Self.downloadKeyName(id)) }
        return kept.flatMap { Base64URL.decode($0.reveal()) }.map { Secret(bytes: $0) }
    }

    static func downloadKeyName(_ id: UUID) -> SecretKey {
        SecretKey(service: "latchstring", account: id.uuidString.lowercased() + "/downloads")
    }
}

extension Session {
    /// Returns the key with which the download queue seals addresses; see ``AccountStore/downloadKey(of:)``.
    package func downloadKey() async throws -> Secret { try await accounts.downloadKey(of: accountID) }
}
