public import Crypto
import Database
public import FoundationEssentials
import Primitives
import Synchronization

/// The people of the server and their passwords.
///
/// Each change is one transaction, on disk before the call returns; a crash leaves it done or not done. Changes that
/// end a person's sessions (another password, disabling, removing) end them in the same transaction, with the reason, and
/// the person's keys with them.
///
/// Every change is recorded in the audit log, whoever makes it.
///
/// Source: ARCHITECTURE.md, People.
public final class PeopleStore: Sendable {
    /// What a new password must be.
    public let policy: PasswordPolicy
    let database: Database
    let hasher: PasswordHasher
    let audit: AuditLog
    let now: @Sendable () -> Date
    private let ended = Mutex<(@Sendable (UUID) -> Void)?>(nil)
    /// Set once somebody was seen; a server with people rarely becomes one without.
    private let sawSomebody = Mutex(false)

    /// Makes a store on a database with the gateway's tables.
    init(
        database: Database, hasher: PasswordHasher, policy: PasswordPolicy, audit: AuditLog,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.hasher = hasher
        self.policy = policy
        self.audit = audit
        self.now = now
    }

    /// Has `action` called after a person's sessions were ended, so that whoever remembers them forgets.
    func whenSessionsEnd(_ action: @escaping @Sendable (UUID) -> Void) {
        ended.withLock { $0 = action }
    }

    /// Everybody, by e-mail address.
    public func list() async throws -> [Person] {
        try await database.read { try $0.all(PeopleStatements.all) }
    }

    /// The person with this e-mail address, however it is written.
    public func find(_ email: String) async throws -> Person? {
        let email = EmailAddress(normalizing: email).text
        return try await database.read { try $0.first(PeopleStatements.byEmail, email) }
    }

    /// The person with this e-mail address.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when nobody has it.
    public func require(_ email: String) async throws -> Person {
        guard let person = try await find(email) else {
            throw GatewayError(.unknownPerson, "Nobody has the e-mail address '\(EmailAddress(normalizing: email))'.")
        }
        return person
    }

    /// The person with this id; nil when there is none, or not any more.
    func find(id: UUID) async throws -> Person? {
        try await database.read { try $0.first(PeopleStatements.byID, id) }
    }

    /// Whether there is anybody at all; remembered until ``forget()``.
    public func hasAnybody() async throws -> Bool {
        if sawSomebody.withLock({ $0 }) { return true }
        let answer = try await database.read { try $0.first(PeopleStatements.anybody) ?? false }
        if answer { sawSomebody.withLock { $0 = true } }
        return answer
    }

    /// Drops what is remembered, after another process wrote.
    func forget() {
        sawSomebody.withLock { $0 = false }
    }

    /// Remembers that there is somebody.
    func noteSomebody() {
        sawSomebody.withLock { $0 = true }
    }

    /// Has whoever remembers a person's sessions forget them.
    func noteSessionsEnded(of person: UUID) {
        ended.withLock { $0 }?(person)
    }

    /// Adds a person.
    ///
    /// - Parameters:
    ///   - email: Kept trimmed and lower-cased.
    ///   - name: To show; nil or blank for none.
    ///   - isAdministrator: Whether the person administers the server.
    ///   - password: Must keep ``policy``; only its Argon2id hash is stored.
    ///   - mustChange: Whether the person must choose another one at the first sign-in.
    /// - Returns: The person as stored.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/invalidEmail``, ``GatewayError/Code/weakPassword``,
    ///   ``GatewayError/Code/personExists`` or ``GatewayError/Code/busy``.
    public func add(
        email: String, name: String? = nil, isAdministrator: Bool = false, password: Secret, mustChange: Bool = false
    ) async throws -> Person {
        try await add(
            email: email, name: name, isAdministrator: isAdministrator, password: password, mustChange: mustChange,
            recording: AuditEvent(.personAdded))
    }

    /// Adds a person without a password, who comes in through an identity provider that has verified the address.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/invalidEmail`` or ``GatewayError/Code/personExists``.
    public func invite(
        email: String, name: String? = nil, isAdministrator: Bool = false, by actor: UUID? = nil
    ) async throws -> Person {
        try await add(
            email: email, name: name, isAdministrator: isAdministrator, password: nil,
            recording: AuditEvent(.personAdded, reason: "invited", actor: actor))
    }

    /// Adds a person and records it as `event`, in which the person is filled in; somebody who registered is not vouched for.
    func add(
        email: String, name: String?, isAdministrator: Bool, password: Secret?, mustChange: Bool = false,
        onlyFirst: Bool = false, recording event: AuditEvent
    ) async throws -> Person {
        let email = try EmailAddress(email).text
        if let password { try policy.check(password) }
        if try await find(email) != nil { throw Self.exists(email) }
        let hash = if let password { try await hasher.hash(password).rawValue } else { nil as String? }
        let isVouched = event.kind == .personAdded
        let created = now()
        let shown = name.flatMap { $0.displayName(limit: 200) }
        let person = try await database.write { connection in
            if onlyFirst, try connection.first(PeopleStatements.anybody) == true { return nil as Person? }
            return try connection.first(
                PeopleStatements.insert, UUID(), email, shown, hash, isAdministrator, isVouched, mustChange, created)
        }
        guard let person else { throw Self.exists(email) }
        noteSomebody()
        var event = event
        event.person = person.id
        audit.record(event)
        return person
    }

    /// The person and hash to check a sign-in against; nil when nobody has the address.
    func credential(_ email: EmailAddress) async throws -> StoredCredential? {
        let text = email.text
        return try await database.read { try $0.first(PeopleStatements.credential, text) }
    }

    /// Learns what kinds of hashes people have, so that the time of a refused sign-in does not tell them apart. It looks
    /// at everybody.
    func learnKinds() async throws {
        let hashes = try await database.read { try $0.all(PeopleStatements.kinds) }
        hasher.know(kinds: hashes.compactMap(\.parameters))
    }

    /// Replaces an outdated hash by a new one of the same password; nothing happens if the password changed meanwhile.
    func rehash(_ password: Secret, of person: UUID, replacing old: PasswordHash) async throws {
        let new = try await hasher.hash(password).rawValue
        let old = old.rawValue
        _ = try await database.write { try $0.run(PeopleStatements.rehash, new, person, old) }
    }

    private static func exists(_ email: String) -> GatewayError {
        GatewayError(.personExists, "Somebody has the e-mail address '\(email)' already.")
    }
}

extension PeopleStore {
    /// Gives a person another password, whatever it was, and ends all of the person's sessions: for an administrator's command.
    /// What a person does goes through ``choosePassword(_:of:by:keepingSession:isForced:)``.
    ///
    /// - Parameters:
    ///   - password: Must keep ``policy``; only its Argon2id hash is stored.
    ///   - person: Whose it is.
    ///   - mustChange: Whether the person must choose another one at the next sign-in.
    ///   - actor: Who does it on a page, for the audit log.
    /// - Returns: The person as stored.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/weakPassword``, ``GatewayError/Code/unknownPerson`` or
    ///   ``GatewayError/Code/busy``.
    @discardableResult
    public func setPassword(
        _ password: Secret, of person: UUID, mustChange: Bool = false, by actor: UUID? = nil
    ) async throws -> Person {
        try policy.check(password)
        let hash = try await hasher.hash(password).rawValue
        let now = now()
        return try await ending(sessionsOf: person, .passwordChanged, by: actor) { connection throws(DatabaseError) in
            try connection.first(PeopleStatements.setPassword, hash, mustChange, now, person)
        }
    }

    /// Forbids a person to sign in and ends all of the person's sessions. Once more changes nothing.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson`` or ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    public func disable(_ person: UUID, by actor: UUID? = nil) async throws -> Person {
        let now = now()
        return try await ending(sessionsOf: person, .personDisabled, by: actor) { connection throws(DatabaseError) in
            try connection.first(PeopleStatements.disable, now, person)
        }
    }

    /// Allows a person to sign in again; sessions that were ended stay ended.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson``.
    @discardableResult
    public func enable(_ person: UUID, by actor: UUID? = nil) async throws -> Person {
        let enabled = try await database.write { try $0.first(PeopleStatements.enable, person) }
        guard let enabled else { throw Self.gone }
        audit.record(AuditEvent(.personEnabled, person: person, actor: actor))
        return enabled
    }

    /// Removes a person for good and ends all of the person's sessions.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson`` or ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    public func remove(_ person: UUID) async throws -> Person {
        let removed = try await ending(sessionsOf: person, .personRemoved) { connection throws(DatabaseError) in
            try connection.first(PeopleStatements.remove, person)
        }
        forget()
        return removed
    }

    private func ending(
        sessionsOf person: UUID, _ reason: SessionEndReason, by actor: UUID? = nil,
        _ change: @escaping @Sendable (Connection) throws(DatabaseError) -> Person?
    ) async throws -> Person {
        let now = now()
        let outcome = try await database.write { connection throws(DatabaseError) -> Person?? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            guard let changed = try change(connection) else { return .some(nil) }
            try connection.run(SessionStatements.endAll, now, reason.rawValue, person)
            try connection.run(APIKeyStatements.revokeAll, now, person)
            return changed
        }
        guard let found = outcome else { throw Self.gone }
        guard let changed = found else { throw Self.lastAdministrator }
        ended.withLock { $0 }?(person)
        audit.record(AuditEvent(Self.kind(reason), person: person, actor: actor))
        return changed
    }

    private static func kind(_ reason: SessionEndReason) -> AuditEvent.Kind {
        switch reason {
        case .personDisabled: .personDisabled
        case .personRemoved: .personRemoved
        case .passwordChanged: .passwordChanged
        case .signedOut, .revoked, .tooManySessions: .revoked
        }
    }

    private static let gone = GatewayError(.unknownPerson, "This person is not there any more.")

    /// The error when a change would leave the server without an administrator.
    static let lastAdministrator = GatewayError(
        .lastAdministrator,
        "Nobody else who may sign in administers the server: nothing was changed. Make somebody else an administrator first, "
            + "on the administration pages or with 'latchd user add --admin'.")
}
