import Crypto
import Database
import FoundationEssentials

/// The note of a key that a sign-in is about to have made: on disk from before the request until the account holds the key.
///
/// A program that dies on the way leaves a key at the server whose name stands here, unlike any other; the person's next
/// sign-in there revokes it, or the next start where the person has an account there already. While this value is held no
/// program looks for keys of that person by their names: this one is not left over.
///
/// Source: RM-8; contract of Relate Mail, rule 16.
struct KeyIntent: Sendable {
    /// What the key is to be called.
    let name: KeyName
    private let owner: KeyOwner
    private let lock: FileLock
    private let accounts: AccountStore

    fileprivate init(name: KeyName, owner: KeyOwner, lock: FileLock, accounts: AccountStore) {
        (self.name, self.owner, self.lock, self.accounts) = (name, owner, lock, accounts)
    }

    /// The server has made the key.
    func keyMade() throws { try accounts.hook.after(.firstKeyMade) }

    /// Lets go of the key: others may revoke it now, where no account holds it and the note still stands.
    func release() { lock.release() }

    /// There is no such key at the server, or not any more: nothing of it stays noted.
    ///
    /// - Parameter id: The server's id of it, where that is known.
    func settle(_ id: String?) async {
        let (owner, marks) = (owner, [name.text, id].compactMap { $0 })
        _ = try? await accounts.database.write { connection in
            for mark in marks { try AccountStore.forget(mark, of: owner, connection) }
        }
        lock.release()
    }
}

/// Who has a key, where: what notes of keys and accounts have in common.
struct KeyOwner: Sendable {
    let server: String
    let email: String
    let dialect: String

    /// The name of the lock of whoever has a key made for this person; it tells nobody who that is.
    var lockName: String {
        let text = [server, email, dialect].joined(separator: "\n")
        return "key-" + SHA256.digest(text).hexadecimal.prefix(32)
    }
}

extension AccountStore {
    /// Notes that a key is about to be made for a person who signs in.
    ///
    /// - Throws: A code of the storage; then no key may be made. `CancellationError`.
    func noteKey(_ name: KeyName, of email: EmailAddress, at server: Server) async throws -> KeyIntent {
        let owner = KeyOwner(
            server: server.address.url, email: email.text, dialect: server.dialect.id.rawValue)
        let lock = try await LatchError.telling { try await locks.lock(named: owner.lockName) }
        let moment = now()
        _ = try await change { connection in
            try connection.run(
                Self.noteOwnersKey, owner.server, owner.email, owner.dialect, name.text, moment)
        }
        try hook.after(.firstKeyNoted)
        return KeyIntent(name: name, owner: owner, lock: lock, accounts: self)
    }

    /// Whose keys an account's are.
    func keyOwner(of id: UUID) async throws -> KeyOwner? {
        try await LatchError.telling { try await database.read { try $0.first(Self.selectOwner, id) } }
    }

    /// Forgets what was noted so long ago that nobody will come to resolve it.
    func removeOldIntents() async throws {
        let limit = now().addingTimeInterval(-Self.noteLifetime)
        try await LatchError.telling {
            // Most starts have nothing to forget, and write nothing.
            guard try await database.read({ try $0.first(Self.hasOldNotes, limit) }) != nil else { return }
            try await database.write { _ = try $0.run(Self.forgetOld, limit) }
        }
    }

    /// A year: people come back to a server after months, and an address and a name need not be kept for ever.
    private static let noteLifetime: TimeInterval = 365 * 86_400

    fileprivate static func forget(
        _ mark: String, of owner: KeyOwner, _ connection: Connection
    ) throws(DatabaseError) {
        _ = try connection.run(forgetOwnersKey, mark, owner.server, owner.email, owner.dialect)
    }

    private static let noteOwnersKey = Statement(
        "INSERT OR IGNORE INTO leftover_keys (server_url, user_email, dialect, name, noted_at) VALUES (?, ?, ?, ?, ?)",
        String.self, String.self, String.self, String.self, Date.self)

    private static let forgetOwnersKey = Statement(
        """
        DELETE FROM leftover_keys WHERE coalesce(key_id, name) = ? \
        AND (server_url, user_email, dialect) = (?, ?, ?)
        """, String.self, String.self, String.self, String.self)

    private static let selectOwner = Statement(
        "SELECT server_url, user_email, dialect FROM accounts WHERE id = ?", UUID.self
    ) { row throws(DatabaseError) in
        KeyOwner(server: try row.get(0), email: try row.get(1), dialect: try row.get(2))
    }

    private static let hasOldNotes = Statement(
        "SELECT 1 FROM leftover_keys WHERE noted_at < ? LIMIT 1", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    private static let forgetOld = Statement("DELETE FROM leftover_keys WHERE noted_at < ?", Date.self)
}
