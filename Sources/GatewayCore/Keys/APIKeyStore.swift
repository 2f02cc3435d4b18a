import Crypto
package import Database
package import FoundationEssentials
import Synchronization

/// Stores the API keys that people create for their programs.
///
/// A key is 32 random bytes in standard Base64: 44 characters, the last one `=`. Only its SHA-256 is stored, and it is
/// on disk before the key is returned. 256 random bits cannot be guessed, so a slow hash would add no protection and
/// delay every request. A key is valid until it expires or is revoked: by its person, by an administrator, or together
/// with all of the person's sessions. It is also revoked when the person is disabled or removed, gets another password,
/// or loses an identity at a provider.
///
/// Keys that are revoked through this object are refused immediately. Keys that another process revokes are refused
/// within 250 ms, like its sessions.
///
/// Source: RM-6, RM-8; docs/protocols/relate-mail.md, API keys, Scopes and Revoking a key; RFC 6819 §5.1.4.1.3.
package final class APIKeyStore: Sendable {
    /// The number of characters in a key.
    package static let length = 44
    /// The maximum number of revoked or expired keys of a person that stay stored. The oldest beyond it are deleted.
    static let remembered = 100

    private let database: Database
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let cache: APIKeyCache
    private let lease: CacheLease

    package init(
        database: Database, audit: AuditLog, capacity: Int = 50_000, lease: CacheLease = CacheLease(),
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.audit = audit
        self.now = now
        self.lease = lease
        cache = APIKeyCache(capacity: capacity)
    }

    /// The number of keys in memory.
    package var cachedCount: Int { cache.count }

    /// Creates a key. The key is valid, and survives a crash, once this method returns.
    ///
    /// - Parameters:
    ///   - person: The person who owns the key.
    ///   - name: The name of the key.
    ///   - scopes: The scopes of the key, as written. Each one must exist.
    ///   - expires: When the key expires; nil for never.
    ///   - maximum: The maximum number of keys of the person, including this one.
    ///   - asking: The key that makes the request; nil when the person does.
    ///   - event: The event to record. The ids of the person and the key are added.
    /// - Returns: The key. Its text cannot be retrieved later.
    /// - Throws: ``GatewayError/Code/tooManyKeys``; ``GatewayError/Code/unknownPerson`` when the person was disabled,
    ///   removed or got another password since it was read, or when the key that makes the request was revoked.
    package func create(
        for person: Person, name: String, scopes: [String], expires: Date? = nil, maximum: Int, asking: UUID? = nil,
        recording event: AuditEvent = AuditEvent(.apiKeyMade)
    ) async throws -> CreatedAPIKey {
        let key = Data(SecureRandom.bytes(32)).base64EncodedString()
        let apiKey = APIKey(
            id: UUID(), person: person.id, email: person.email, name: name, scopes: scopes, created: now(),
            expires: expires)
        let hash = SHA256.digest(key).bytes
        let words = scopes.joined(separator: " ")
        let (inserted, count) = try await database.write { connection in
            let inserted = try connection.run(
                APIKeyStatements.insert, apiKey.created, apiKey.id, hash, name, words, expires, person.id,
                person.sessionEpoch, asking, maximum)
            try Self.deleteExcess(of: person.id, at: apiKey.created - ClockDifference.tolerated, connection)
            return (inserted, try connection.first(APIKeyStatements.count, apiKey.created, person.id) ?? 0)
        }
        guard inserted == 1 else {
            guard count < maximum else { throw Self.tooMany(maximum) }
            throw GatewayError(.unknownPerson, "The account or the key that makes the request has just been changed.")
        }
        var event = event
        event.person = person.id
        event.key = apiKey.id.uuidString.lowercased()
        audit.record(event)
        return CreatedAPIKey(key: Secret(key), listed: apiKey)
    }

    /// Deletes the oldest of a person's keys that are revoked or have expired, at most 100.
    private static func deleteExcess(
        of person: UUID, at time: Date, _ connection: Connection
    ) throws(DatabaseError) {
        // Once for each generation of keys that are deleted together.
        while try connection.run(APIKeyStatements.adoptSuccessors, time, person, remembered) > 0 {}
        try connection.run(APIKeyStatements.deleteExcess, time, person, remembered)
    }

    /// Returns the valid keys, the newest first: those of `person`, or of all people when nil.
    package func list(of person: UUID? = nil) async throws -> [APIKey] {
        let now = now()
        var keys = try await database.read { connection in
            if let person { return try connection.all(APIKeyStatements.listOfPerson, now, person) }
            return try connection.all(APIKeyStatements.list, now)
        }
        // The uses of the last second may not be written yet.
        let uses = cache.uses
        for index in keys.indices {
            guard let use = uses[keys[index].id] else { continue }
            keys[index].lastUsed = max(keys[index].lastUsed ?? .distantPast, use)
        }
        return keys
    }

    /// Revokes a key.
    ///
    /// - Throws: ``GatewayError/Code/unknownKey`` when no valid key has this id.
    package func revoke(_ key: UUID) async throws {
        guard try await revoke(key, of: nil, recording: AuditEvent(.apiKeyRevoked)) else {
            throw GatewayError(
                .unknownKey,
                "No valid key has the id '\(key.uuidString.lowercased())'; 'latchd api-keys list' shows them.")
        }
    }

    /// Revokes a key, which must belong to `person` unless that is nil. Returns false when there is no such key.
    ///
    /// Keys that were created with it, directly or through other keys, are revoked too, because a thief may have
    /// created them. They stay valid when a key makes the request (`isRotation`), because this is how a program
    /// replaces its key.
    package func revoke(
        _ key: UUID, of person: UUID?, isRotation: Bool = false, recording event: AuditEvent
    ) async throws -> Bool {
        let now = now()
        let revoked = try await database.write { connection -> (owner: UUID, keys: [UUID])? in
            guard let owner = try connection.first(APIKeyStatements.revoke, now, key, person) else { return nil }
            let successors = isRotation ? [] : try connection.all(APIKeyStatements.revokeSuccessors, now, key)
            return (owner, [key] + successors)
        }
        guard let revoked else { return false }
        cache.remove { revoked.keys.contains($0.id) }
        for key in revoked.keys {
            var event = event
            event.person = revoked.owner
            event.key = key.uuidString.lowercased()
            audit.record(event)
        }
        return true
    }

    /// Returns the person of a key; nil when no valid key has this id.
    package func owner(of key: UUID) async throws -> UUID? {
        let now = now()
        return try await database.read { try $0.first(APIKeyStatements.owner, now, key) }
    }

    /// Revokes all keys of a person.
    ///
    /// - Returns: The number of revoked keys.
    @discardableResult
    package func revokeAll(of person: UUID) async throws -> Int {
        let now = now()
        let count = try await database.write { try $0.run(APIKeyStatements.revokeAll, now, person) }
        invalidate(person: person)
        audit.record(AuditEvent(.apiKeyRevoked, reason: "all-keys", person: person))
        return count
    }

    private static func tooMany(_ maximum: Int) -> GatewayError {
        GatewayError(.tooManyKeys, "There are already \(maximum) keys, the maximum for a person; revoke one.")
    }
}

extension APIKeyStore {
    /// Whether a text has the format of a key. No other token has this format.
    package static func isKey(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.last == UInt8(ascii: "=")
    }

    /// Returns the key with this text when it is in memory. A valid key counts as used.
    package func cachedAuthentication(_ text: String) -> KnownAPIKey? {
        Self.isKey(text) && lease.isValid ? cache.use(SHA256.digest(text), at: now()) : nil
    }

    /// Returns the key with this text; nil when there is no such valid key. A valid key counts as used.
    package func authenticate(_ text: String) async throws -> KnownAPIKey? {
        guard Self.isKey(text) else { return nil }
        let digest = SHA256.digest(text)
        if lease.isValid, let known = cache.use(digest, at: now()) { return known }
        let (ticket, now) = (cache.ticket, now())
        let hash = digest.bytes
        guard let stored = try await database.read({ try $0.first(APIKeyStatements.find, now, hash) }) else {
            return nil
        }
        cache.insert(digest, stored.known, lastUsed: stored.lastUsed, at: now, ticket: ticket)
        return stored.known
    }

    /// Returns when a person last signed in or created a key, as far as it is stored.
    package func lastSignIn(of person: UUID) async throws -> Date? {
        try await database.read { try $0.first(APIKeyStatements.lastSignIn, person) ?? nil }
    }

    /// Removes a person's keys from memory.
    package func invalidate(person: UUID) {
        cache.remove { $0.person.id == person }
    }

    /// Removes a key from memory, because another process changed it.
    package func invalidate(key: UUID) {
        cache.remove { $0.id == key }
    }

    /// Removes all keys from memory, because another process changed the database.
    package func invalidateAll() {
        cache.remove { _ in true }
    }

    /// Writes the uses that were recorded since the last call, in transactions of at most 500. Uses that cannot be
    /// written are kept for the next call.
    package func flush() async throws {
        let uses = cache.uses.map { (id: $0.key, use: $0.value) }
        try await database.forEachBatch(of: uses) { uses in
            try await database.write { connection in
                _ = try connection.firsts(APIKeyStatements.use, uses.map { ($0.use, $0.id) })
            }
            cache.written(uses)
        }
    }

    /// Deletes keys that were revoked or expired longer ago than `age`, at most 500 in each transaction.
    ///
    /// - Returns: The number of deleted keys.
    @discardableResult
    package func purge(olderThan age: Duration) async throws -> Int {
        let limit = now() - age
        var total = 0
        while true {
            try Task.checkCancellation()
            let count = try await database.write { try $0.run(APIKeyStatements.purge, limit) }
            if count == 0 { return total }
            total += count
        }
    }
}
