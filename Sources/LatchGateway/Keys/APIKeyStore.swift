import Crypto
import Database
public import FoundationEssentials
import Synchronization

/// The keys that people gave to their programs.
///
/// A key is 32 random bytes in standard Base64: 44 characters, the last one `=`. Only its SHA-256 is stored, and it is on
/// disk before it is given out: 256 random bits cannot be guessed at, so a slow hash would protect nothing and cost every
/// request. A key is good until it expires or is revoked: by its person, by an administrator, or together with all of the
/// person's sessions. It is also revoked when the person is disabled or removed, gets another password, or loses an identity
/// at a provider.
///
/// What is revoked through this object is refused at once; what another process revokes, within 250 ms, as sessions are.
///
/// Source: RM-6, RM-8; contract of Relate Mail, rules 9 to 16; RFC 6819 §5.1.4.1.3.
public final class APIKeyStore: Sendable {
    /// The number of characters of a key.
    static let length = 44

    private let database: Database
    private let audit: AuditLog
    private let now: @Sendable () -> Date
    private let cache: APIKeyCache

    init(database: Database, audit: AuditLog, capacity: Int = 50_000, now: @escaping @Sendable () -> Date) {
        self.database = database
        self.audit = audit
        self.now = now
        cache = APIKeyCache(capacity: capacity)
    }

    /// How many keys are in memory.
    var rememberedCount: Int { cache.count }

    /// Makes a key; it works, and survives a crash, once this returns.
    ///
    /// - Parameters:
    ///   - person: Whose it is.
    ///   - name: What it is called.
    ///   - scopes: Its scopes as they were written; each must be one.
    ///   - expires: When it expires; nil for never.
    ///   - maximum: How many keys the person may have with this one.
    ///   - asking: The key that asks for it; nil when the person does.
    ///   - event: What is recorded of it; person and key are filled in.
    /// - Returns: The key, which is not to be had again.
    /// - Throws: ``GatewayError/Code/tooManyKeys``; ``GatewayError/Code/unknownPerson`` when the person was disabled, removed
    ///   or got another password since it was read, or the asking key was revoked.
    func make(
        for person: Person, name: String, scopes: [String], expires: Date? = nil, maximum: Int, asking: UUID? = nil,
        recording event: AuditEvent = AuditEvent(.apiKeyMade)
    ) async throws -> CreatedAPIKey {
        let key = Data(SecureRandom.bytes(32)).base64EncodedString()
        let made = APIKey(
            id: UUID(), person: person.id, email: person.email, name: name, scopes: scopes, created: now(),
            expires: expires)
        let hash = SHA256.digest(key).bytes
        let words = scopes.joined(separator: " ")
        let (inserted, count) = try await database.write { connection in
            let inserted = try connection.run(
                APIKeyStatements.insert, made.created, made.id, hash, name, words, expires, person.id,
                person.sessionEpoch, asking, maximum)
            return (inserted, try connection.first(APIKeyStatements.count, made.created, person.id) ?? 0)
        }
        guard inserted == 1 else {
            guard count < maximum else { throw Self.tooMany(maximum) }
            throw GatewayError(.unknownPerson, "The account or the key that asked was changed just now.")
        }
        var event = event
        event.person = person.id
        event.key = made.id.uuidString.lowercased()
        audit.record(event)
        return CreatedAPIKey(key: Secret(key), listed: made)
    }

    /// The keys that are good, newest first; of `person` alone when one is named.
    public func list(of person: UUID? = nil) async throws -> [APIKey] {
        let now = now()
        var keys = try await database.read { connection in
            if let person { return try connection.all(APIKeyStatements.listOfPerson, now, person) }
            return try connection.all(APIKeyStatements.list, now)
        }
        let uses = cache.uses
        for index in keys.indices {
            guard let use = uses[keys[index].id] else { continue }
            keys[index].lastUsed = max(keys[index].lastUsed ?? .distantPast, use)
        }
        return keys
    }

    /// Revokes a key.
    ///
    /// - Throws: ``GatewayError/Code/unknownKey`` when no key that is good has this id.
    public func revoke(_ key: UUID) async throws {
        guard try await revoke(key, of: nil, recording: AuditEvent(.apiKeyRevoked)) else {
            throw GatewayError(
                .unknownKey,
                "No key that is good has the id '\(key.uuidString.lowercased())'; 'latchd api-keys list' shows them.")
        }
    }

    /// Revokes a key, of `person` if one is named; false when there is no such one.
    ///
    /// The keys that it made, and those that they made, are revoked with it: who stole it may have made them. They stay when a key
    /// asks (`isRotation`): so a program replaces its key by a new one.
    func revoke(
        _ key: UUID, of person: UUID?, isRotation: Bool = false, recording event: AuditEvent
    ) async throws -> Bool {
        let now = now()
        let revoked = try await database.write { connection -> (owner: UUID, keys: [UUID])? in
            guard let owner = try connection.first(APIKeyStatements.revoke, now, key, person) else { return nil }
            let made = isRotation ? [] : try connection.all(APIKeyStatements.revokeSuccessors, now, key)
            return (owner, [key] + made)
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

    /// The person of a key; nil when no good key has this id.
    func owner(of key: UUID) async throws -> UUID? {
        let now = now()
        return try await database.read { try $0.first(APIKeyStatements.owner, now, key) }
    }

    /// Revokes all keys of a person.
    ///
    /// - Returns: How many there were.
    @discardableResult
    public func revokeAll(of person: UUID) async throws -> Int {
        let now = now()
        let count = try await database.write { try $0.run(APIKeyStatements.revokeAll, now, person) }
        forget(person: person)
        audit.record(AuditEvent(.apiKeyRevoked, reason: "all-keys", person: person))
        return count
    }

    private static func tooMany(_ maximum: Int) -> GatewayError {
        GatewayError(.tooManyKeys, "There are \(maximum) keys already, the most that a person may have; revoke one.")
    }
}

extension APIKeyStore {
    /// Whether a text has the form of a key, as no other token has.
    static func isKey(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.last == UInt8(ascii: "=")
    }

    /// Whose key a text is, when that is in memory. A good one counts as used.
    func cachedAuthentication(_ text: String) -> KnownAPIKey? {
        Self.isKey(text) ? cache.use(SHA256.digest(text), at: now()) : nil
    }

    /// Whose key a text is; nil when it is no good key. A good one counts as used.
    func authenticate(_ text: String) async throws -> KnownAPIKey? {
        guard Self.isKey(text) else { return nil }
        let digest = SHA256.digest(text)
        if let known = cache.use(digest, at: now()) { return known }
        let (ticket, now) = (cache.ticket, now())
        let hash = digest.bytes
        guard let stored = try await database.read({ try $0.first(APIKeyStatements.find, now, hash) }) else {
            return nil
        }
        cache.insert(digest, stored.known, lastUsed: stored.lastUsed, at: now, ticket: ticket)
        return stored.known
    }

    /// When a person last signed in, as far as is remembered.
    func lastSignIn(of person: UUID) async throws -> Date? {
        try await database.read { try $0.first(APIKeyStatements.lastSignIn, person) ?? nil }
    }

    /// Forgets what is in memory of a person.
    func forget(person: UUID) {
        cache.remove { $0.person.id == person }
    }

    /// Forgets all that is in memory: another process changed the database.
    func forgetEverything() {
        cache.remove { _ in true }
    }

    /// Writes the uses noted since the last time, in transactions of at most 500; what fails stays noted.
    func flush() async throws {
        let uses = cache.uses.map { (id: $0.key, use: $0.value) }
        for start in stride(from: 0, to: uses.count, by: 500) {
            let some = Array(uses[start..<min(start + 500, uses.count)])
            try await database.write { connection in
                for (id, use) in some { try connection.run(APIKeyStatements.use, use, id) }
            }
            cache.written(some)
        }
    }

    /// Deletes keys that were revoked or expired longer ago than `age`; a few hundred in each transaction.
    ///
    /// - Returns: How many were deleted.
    @discardableResult
    func purge(olderThan age: Duration) async throws -> Int {
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
