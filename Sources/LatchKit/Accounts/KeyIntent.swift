import Crypto
import Database
import FoundationEssentials

/// The record of a key that the server is about to create for a sign-in. It is stored before the request is sent and
/// removed when the account has the key.
///
/// If the program crashes in between, the key stays on the server. Its name is unique and is recorded. The person's
/// next sign-in there revokes the key, or the next start if the person already has an account there. While this value
/// is held, no program searches for keys of that person by name, because this key is not orphaned.
///
/// Source: RM-8; docs/protocols/relate-mail.md, Rotating a key.
struct KeyIntent: Sendable {
    /// The name of the key to be created.
    let name: KeyName
    private let owner: KeyOwner
    private let lock: FileLock
    private let accounts: AccountStore

    fileprivate init(name: KeyName, owner: KeyOwner, lock: FileLock, accounts: AccountStore) {
        (self.name, self.owner, self.lock, self.accounts) = (name, owner, lock, accounts)
    }

    /// Called when the server has created the key.
    func keyMade() throws { try accounts.hook.after(.firstKeyMade) }

    /// Releases the lock. Other programs may now revoke the key if the record still exists and no account uses the key.
    func release() { lock.release() }

    /// Removes the records of a key that does not exist on the server, or not any more.
    ///
    /// - Parameter id: The id of the key on the server. Nil when it is not known.
    func resolve(_ id: String?) async {
        let (owner, identifiers) = (owner, [name.text, id].compactMap { $0 })
        _ = try? await accounts.database.write { connection in
            for identifier in identifiers { try AccountStore.removeRecord(identifier, of: owner, connection) }
        }
        lock.release()
    }
}

/// The owner of a key: a person on a server. It links the records of keys to accounts.
struct KeyOwner: Sendable {
    let server: String
    let email: String
    let dialect: String

    /// The name of the lock that is held while a key is created for this person. It does not reveal who the person is.
    var lockName: String {
        let text = [server, email, dialect].joined(separator: "\n")
        return "key-" + SHA256.digest(text).hexadecimal.prefix(32)
    }
}

extension AccountStore {
    /// Notes that a key is about to be created for a person who signs in.
    ///
    /// - Throws: A code of the storage, in which case no key may be created; `CancellationError`.
    func recordKey(_ name: KeyName, of email: EmailAddress, at server: Server) async throws -> KeyIntent {
        let owner = KeyOwner(
            server: server.address.url, email: email.text, dialect: server.dialect.id.rawValue)
        let lock = try await LatchError.converting { try await locks.lock(named: owner.lockName) }
        let moment = now()
        _ = try await change { connection in
            try connection.run(
                Self.insertIntent, owner.server, owner.email, owner.dialect, name.text, moment)
        }
        try hook.after(.firstKeyRecorded)
        return KeyIntent(name: name, owner: owner, lock: lock, accounts: self)
    }

    /// Returns the owner of an account's keys. Nil when there is no such account.
    func keyOwner(of id: UUID) async throws -> KeyOwner? {
        try await LatchError.converting { try await database.read { try $0.first(Self.selectOwner, id) } }
    }

    /// Removes records that are so old that they will not be resolved any more.
    func removeOldIntents() async throws {
        let limit = now().addingTimeInterval(-Self.intentLifetime)
        try await LatchError.converting {
            // Most starts have nothing to remove, so they do not write.
            guard try await database.read({ try $0.first(Self.hasOldIntents, limit) }) != nil else { return }
            try await database.write { _ = try $0.run(Self.deleteOldIntents, limit) }
        }
    }

    /// One year, in seconds. People return to a server after months, but an address and a name need not be stored
    /// forever.
    private static let intentLifetime: TimeInterval = 365 * 86_400

    fileprivate static func removeRecord(
        _ identifier: String, of owner: KeyOwner, _ connection: Connection
    ) throws(DatabaseError) {
        _ = try connection.run(deleteIntent, identifier, owner.server, owner.email, owner.dialect)
    }

    private static let insertIntent = Statement(
        "INSERT OR IGNORE INTO leftover_keys (server_url, user_email, dialect, name, noted_at) VALUES (?, ?, ?, ?, ?)",
        String.self, String.self, String.self, String.self, Date.self)

    private static let deleteIntent = Statement(
        """
        DELETE FROM leftover_keys WHERE coalesce(key_id, name) = ? \
        AND (server_url, user_email, dialect) = (?, ?, ?)
        """, String.self, String.self, String.self, String.self)

    private static let selectOwner = Statement(
        "SELECT server_url, user_email, dialect FROM accounts WHERE id = ?", UUID.self
    ) { row throws(DatabaseError) in
        KeyOwner(server: try row.get(0), email: try row.get(1), dialect: try row.get(2))
    }

    private static let hasOldIntents = Statement(
        "SELECT 1 FROM leftover_keys WHERE noted_at < ? LIMIT 1", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    private static let deleteOldIntents = Statement("DELETE FROM leftover_keys WHERE noted_at < ?", Date.self)
}
