package import Crypto
import FoundationEssentials
import SecretStorage

extension AccountStore {
    /// The key under which the queue of downloads seals what of an account's addresses may be a secret: 32 bytes, made when
    /// first asked for, kept in the secret store. It outlives the end of a session and goes with the account.
    ///
    /// - Throws: ``LatchError/Code/noAccount``; the codes of the secret store.
    package func downloadKey(of id: Account.ID) async throws -> Secret {
        if let key = try await keptDownloadKey(of: id) { return key }
        // Two programs must not make two keys, nor one for an account that is being removed.
        let lock = try await LatchError.telling { try await locks.lock(id) }
        defer { lock.release() }
        if let key = try await keptDownloadKey(of: id) { return key }
        guard let record = try await record(id), [.in, .out, .wiping].contains(record.stage) else { throw Self.missing }
        let key = Secret(bytes: SecureRandom.bytes(Sealing.keyCount))
        let text = Secret(key.withBytes(Base64URL.encode))
        try await LatchError.telling { try await secrets.write(text, for: Self.downloadKeyName(id)) }
        return key
    }

    private func keptDownloadKey(of id: UUID) async throws -> Secret? {
        let kept = try await LatchError.telling { try await secrets.read(Self.downloadKeyName(id)) }
        return kept.flatMap { Base64URL.decode($0.reveal()) }.map { Secret(bytes: $0) }
    }

    static func downloadKeyName(_ id: UUID) -> SecretKey {
        SecretKey(service: "latchstring", account: id.uuidString.lowercased() + "/downloads")
    }
}

extension Session {
    /// The key under which the queue of downloads seals; see ``AccountStore/downloadKey(of:)``.
    package func downloadKey() async throws -> Secret { try await accounts.downloadKey(of: accountID) }
}
