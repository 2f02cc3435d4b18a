import Crypto
import Database
import FoundationEssentials
import SecretStorage

/// A wrapper of the secret store. It stores the tokens of accounts under the names that the apps of their families use.
///
/// A token that an earlier version stored under this program's own name is still found. The next write moves it.
///
/// Source: TT-5.
struct AccountSecrets: SecretStoring {
    let store: any SecretStoring
    let database: Database
    let dialects: [any Dialect]

    var label: String { store.label }

    func read(_ key: SecretKey) async throws(SecretStorageError) -> Secret? {
        guard let familyKey = try await familyKey(for: key) else { return try await store.read(key) }
        if let secret = try await store.read(familyKey) { return secret }
        return try await store.read(key)
    }

    func write(_ secret: Secret, for key: SecretKey) async throws(SecretStorageError) {
        guard let familyKey = try await familyKey(for: key) else { return try await store.write(secret, for: key) }
        // Written before the old entry is removed, so that a crash leaves at least one of them.
        try await store.write(secret, for: familyKey)
        try await store.remove(key)
    }

    func remove(_ key: SecretKey) async throws(SecretStorageError) {
        if let familyKey = try await familyKey(for: key) { try await store.remove(familyKey) }
        try await store.remove(key)
    }

    func check() async throws(SecretStorageError) { try await store.check() }

    /// Returns the names under which secrets of an account may be stored.
    func names(of id: UUID) async throws(SecretStorageError) -> [SecretKey] {
        let token = AccountStore.tokenKey(id)
        let connections = ConnectionRecord.slots.map { AccountStore.connectionKey(id, slot: $0) }
        return [try await familyKey(for: token), token, AccountStore.sealingKeyName(id)].compactMap { $0 } + connections
            + (try await endpointNames(of: id))
    }

    private func endpointNames(of id: UUID) async throws(SecretStorageError) -> [SecretKey] {
        do {
            let text = try await database.read { try $0.first(AccountStore.selectEndpoints, id) }
            return try AccountStore.endpoints(text).all.filter(\.connection.hasSecrets).map {
                AccountStore.connectionKey($0.id)
            }
        } catch {
            throw SecretStorageError(
                .io, "Could not look up the secrets of an account's addresses: \(LatchError(error).message)")
        }
    }

    /// Returns the name of an account's token in its family. Nil for other secrets and for families without such a
    /// name.
    private func familyKey(for key: SecretKey) async throws(SecretStorageError) -> SecretKey? {
        guard let id = UUID(uuidString: key.account), key == AccountStore.tokenKey(id) else { return nil }
        let dialect: String?
        do {
            dialect = try await database.read { try $0.first(Self.dialect, id) }
        } catch {
            throw SecretStorageError(
                .io, "Could not look up the name of a secret: \(LatchError(error).message)")
        }
        guard let dialect, let name = dialects.named(DialectID(rawValue: dialect))?.tokenName else { return nil }
        return SecretKey(service: name.service, account: name.account, id: key.account)
    }

    private static let dialect = Statement("SELECT dialect FROM accounts WHERE id = ?", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as String
    }
}
