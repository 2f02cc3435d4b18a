package import Crypto
package import Database
package import FoundationEssentials
import Primitives
import Synchronization

/// Stores the people of the server and their passwords.
///
/// Each change is one transaction, which is on disk before the call returns. A crash leaves a change either complete or
/// undone. Changes that end a person's sessions (a new password, disabling, removing) end the sessions and the person's
/// keys in the same transaction, with the reason.
///
/// Changes to accounts are recorded in the audit log, whether an administrator or the person makes them.
///
/// Source: docs/gateway.md, People.
package final class PeopleStore: Sendable {
    /// The rules for new passwords.
    package let policy: PasswordPolicy
    /// The ways to sign in, by which an administrator counts as one who can sign in.
    let signIn: ConfiguredSignIn
    package let database: Database
    package let hasher: PasswordHasher
    package let audit: AuditLog
    package let now: @Sendable () -> Date
    private let onChange = Mutex<(@Sendable (UUID) -> Void)?>(nil)
    /// Whether the database is known to contain a person. Cached, because people are rarely all removed.
    private let hasPeopleCached = Mutex(false)

    /// Creates a store on a database with the gateway's tables.
    package init(
        database: Database, hasher: PasswordHasher, policy: PasswordPolicy, signIn: ConfiguredSignIn, audit: AuditLog,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.hasher = hasher
        self.policy = policy
        self.signIn = signIn
        self.audit = audit
        self.now = now
    }

    /// Sets the closure that is called with a person's id after the person changed or the person's sessions were ended,
    /// to invalidate caches.
    package func onChange(_ action: @escaping @Sendable (UUID) -> Void) {
        onChange.withLock { $0 = action }
    }

    /// Returns all people, sorted by e-mail address.
    package func list() async throws -> [Person] {
        try await database.read { try $0.all(PeopleStatements.all) }
    }

    /// Returns the number of people.
    package func count() async throws -> Int {
        try await database.read { try $0.first(PeopleStatements.count) ?? 0 }
    }

    /// Returns the person with this e-mail address, which is normalized first. Nil when there is none.
    package func find(_ email: String) async throws -> Person? {
        let email = EmailAddress(normalizing: email).text
        return try await database.read { try $0.first(PeopleStatements.byEmail, email) }
    }

    /// Returns the person with this e-mail address, which is normalised first.
    ///
    /// - Throws: ``GatewayError/Code/unknownPerson`` when there is none.
    package func require(_ email: String) async throws -> Person {
        guard let person = try await find(email) else {
            throw GatewayError(
                .unknownPerson, "No person has the e-mail address '\(EmailAddress(normalizing: email))'.")
        }
        return person
    }

    /// Returns the person with this id; nil when there is none.
    package func find(id: UUID) async throws -> Person? {
        try await database.read { try $0.first(PeopleStatements.byID, id) }
    }

    /// Whether there is at least one person. A true result is cached until ``invalidateCache()``.
    package func hasPeople() async throws -> Bool {
        if hasPeopleCached.withLock({ $0 }) { return true }
        let answer = try await database.read { try $0.first(PeopleStatements.hasPeople) ?? false }
        if answer { hasPeopleCached.withLock { $0 = true } }
        return answer
    }

    /// Clears the cached result of ``hasPeople()``, after a person was removed or another process changed the
    /// database.
    package func invalidateCache() {
        hasPeopleCached.withLock { $0 = false }
    }

    /// Caches that there is at least one person.
    func setHasPeople() {
        hasPeopleCached.withLock { $0 = true }
    }

    /// Invalidates cached sessions and keys of a person.
    func cachedPersonChanged(_ person: UUID) {
        onChange.withLock { $0 }?(person)
    }

    /// Adds a person.
    ///
    /// - Parameters:
    ///   - email: The e-mail address. It is stored normalised.
    ///   - name: The display name; nil or blank for none.
    ///   - isAdministrator: Whether the person administers the server.
    ///   - password: The password, which must satisfy ``policy``. Only its Argon2id hash is stored.
    ///   - mustChange: Whether the person must choose another password at the first sign-in.
    /// - Returns: The person as stored.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/invalidEmail``, ``GatewayError/Code/weakPassword``,
    ///   ``GatewayError/Code/personExists`` or ``GatewayError/Code/busy``.
    package func add(
        email: String, name: String? = nil, isAdministrator: Bool = false, password: Secret, mustChange: Bool = false
    ) async throws -> Person {
        try await add(
            email: email, name: name, isAdministrator: isAdministrator, password: password, mustChange: mustChange,
            recording: AuditEvent(.personAdded))
    }

    /// Adds a person without a password, who signs in through an identity provider that has verified the address.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/invalidEmail`` or ``GatewayError/Code/personExists``.
    package func invite(
        email: String, name: String? = nil, isAdministrator: Bool = false, by actor: UUID? = nil
    ) async throws -> Person {
        try await add(
            email: email, name: name, isAdministrator: isAdministrator, password: nil,
            recording: AuditEvent(.personAdded, reason: "invited", actor: actor))
    }

    /// Adds a person and records `event` with the person's id. A person who registers is not vouched for. If
    /// `onlyFirst` is true, this throws when there is already a person.
    package func add(
        email: String, name: String?, isAdministrator: Bool, password: Secret?, mustChange: Bool = false,
        onlyFirst: Bool = false, for caller: HashingCaller = .server, recording event: AuditEvent
    ) async throws -> Person {
        let email = try EmailAddress(email).text
        if let password { try policy.check(password) }
        // A taken address costs no hash. The insertion decides, because two people may register it at once.
        if try await find(email) != nil { throw Self.exists(email) }
        let hash = if let password { try await hasher.hash(password, for: caller).rawValue } else { nil as String? }
        let isVouched = event.kind == .personAdded
        let created = now()
        let shown = name.flatMap { $0.displayName(limit: 200) }
        let person = try await database.write { connection in
            if onlyFirst, try connection.first(PeopleStatements.hasPeople) == true { return nil as Person? }
            return try connection.first(
                PeopleStatements.insert, UUID(), email, shown, hash, isAdministrator, isVouched, mustChange, created)
        }
        guard let person else { throw Self.exists(email) }
        setHasPeople()
        var event = event
        event.person = person.id
        audit.record(event)
        return person
    }

    /// Returns the person and hash for a sign-in. Nil when the address is unknown.
    package func credential(_ email: EmailAddress) async throws -> StoredCredential? {
        let text = email.text
        return try await database.read { try $0.first(PeopleStatements.credential, text) }
    }

    /// Reads which kinds of hashes people have, so that the time of a refused sign-in does not reveal them. Scans all
    /// people.
    package func loadHashKinds() async throws {
        let hashes = try await database.read { try $0.all(PeopleStatements.kinds) }
        hasher.setKinds(hashes.compactMap(\.parameters))
    }

    /// Replaces an outdated hash with a new one of the same password. Does nothing if the password was changed in the
    /// meantime.
    func rehash(_ password: Secret, of person: UUID, replacing old: PasswordHash) async throws {
        let new = try await hasher.hash(password, for: .person(person)).rawValue
        let old = old.rawValue
        _ = try await database.write { try $0.run(PeopleStatements.rehash, new, person, old) }
    }

    private static func exists(_ email: String) -> GatewayError {
        GatewayError(.personExists, "The e-mail address '\(email)' is already in use.")
    }
}

extension PeopleStore {
    /// Sets a person's password and ends all of the person's sessions, for an administrator. A change by the person
    /// uses ``choosePassword(_:of:by:keepingSession:isForced:)``.
    ///
    /// - Parameters:
    ///   - password: The password, which must satisfy ``policy``. Only its Argon2id hash is stored.
    ///   - person: The id of the person.
    ///   - mustChange: Whether the person must choose another password at the next sign-in.
    ///   - actor: The administrator who sets the password on a page, for the audit log. Nil for a command.
    /// - Returns: The person as stored.
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/weakPassword``, ``GatewayError/Code/unknownPerson`` or
    ///   ``GatewayError/Code/busy``.
    @discardableResult
    package func setPassword(
        _ password: Secret, of person: UUID, mustChange: Bool = false, by actor: UUID? = nil
    ) async throws -> Person {
        try policy.check(password)
        let hash = try await hasher.hash(password).rawValue
        let now = now()
        return try await ending(sessionsOf: person, .passwordChanged, by: actor) { connection throws(DatabaseError) in
            try connection.first(PeopleStatements.setPassword, hash, mustChange, now, person)
        }
    }

    /// Prevents a person from signing in and ends all of the person's sessions. If the person is already disabled, the
    /// date of disabling does not change.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson`` or ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    package func disable(_ person: UUID, by actor: UUID? = nil) async throws -> Person {
        let (now, signIn) = (now(), signIn)
        return try await ending(sessionsOf: person, .personDisabled, by: actor) { connection throws(DatabaseError) in
            try connection.first(
                PeopleStatements.disable, now, person, signIn.acceptsPasswords, signIn.providers)
        }
    }

    /// Allows a person to sign in again. Ended sessions stay ended.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson``.
    @discardableResult
    package func enable(_ person: UUID, by actor: UUID? = nil) async throws -> Person {
        let enabled = try await database.write { try $0.first(PeopleStatements.enable, person) }
        guard let enabled else { throw Self.gone }
        audit.record(AuditEvent(.personEnabled, person: person, actor: actor))
        return enabled
    }

    /// Removes a person permanently and ends all of the person's sessions.
    ///
    /// - Throws: ``GatewayError`` with ``GatewayError/Code/unknownPerson`` or ``GatewayError/Code/lastAdministrator``.
    @discardableResult
    package func remove(_ person: UUID) async throws -> Person {
        let signIn = signIn
        let removed = try await ending(sessionsOf: person, .personRemoved) { connection throws(DatabaseError) in
            try connection.first(PeopleStatements.remove, person, signIn.acceptsPasswords, signIn.providers)
        }
        invalidateCache()
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
        cachedPersonChanged(person)
        audit.record(AuditEvent(Self.kind(reason), person: person, actor: actor))
        return changed
    }

    private static func kind(_ reason: SessionEndReason) -> AuditEvent.Kind {
        switch reason {
        case .personDisabled: .personDisabled
        case .personRemoved: .personRemoved
        case .passwordChanged: .passwordChanged
        case .signedOut, .revoked, .tooManySessions, .tokenReused: .revoked
        }
    }

    private static let gone = GatewayError(.unknownPerson, "This person no longer exists.")

    /// The error for a change that would leave the server without an administrator.
    package static let lastAdministrator = GatewayError(
        .lastAdministrator,
        "This is the last administrator who can sign in, so nothing was changed. Make another person an administrator "
            + "first, on the administration pages or with 'latchd user add --admin'.")
}
