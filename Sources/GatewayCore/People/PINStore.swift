package import Crypto
package import Database
package import FoundationEssentials
import Synchronization

/// Stores and checks people's PINs, of which ``PINHash`` are stored.
///
/// There are few possible PINs, so attempts are limited for each person. After ``limit`` wrong attempts in a row the
/// PIN is locked: for a minute at first, then for twice as long each time, up to a day. Each attempt is counted in the
/// database before the PIN is checked. So restarts, further gateways and parallel attempts do not allow more attempts.
/// The correct PIN or a new PIN resets the count.
///
/// Source: IM-15; docs/protocols/immich.md, PIN and locked assets; NIST SP 800-63B §5.2.2.
package final class PINStore: Sendable {
    /// The number of wrong attempts before a lock-out, and the length of lock-outs.
    package static let limit = AttemptLimit(
        attempts: 5, window: .seconds(86_400), firstLockOut: .seconds(60), maximumLockOut: .seconds(86_400))

    /// The result of checking a PIN, or another proof that allows changing it.
    package enum CheckResult: Sendable, Equatable {
        /// The PIN or proof is correct.
        case right
        /// The PIN or proof is wrong.
        case wrong
        /// The person has no PIN.
        case notSet
        /// Too many attempts were wrong. The value is the time to wait.
        case limited(Duration)
    }

    package let database: Database
    package let hasher: PasswordHasher
    package let audit: AuditLog
    private let elevations: ElevationStore
    package let now: @Sendable () -> Date
    private let readKey: @Sendable () throws(GatewayError) -> Secret
    private let key = Mutex<Secret?>(nil)

    /// Creates a store on a database with the gateway's tables.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - hasher: Hashes the codes of PINs.
    ///   - audit: The log of changes and wrong attempts.
    ///   - elevations: The sessions that a PIN has unlocked.
    ///   - now: The clock of attempts.
    ///   - key: Returns the key of the codes of PINs, which is not in the database. Called when it is first needed.
    package init(
        database: Database, hasher: PasswordHasher, audit: AuditLog, elevations: ElevationStore,
        now: @escaping @Sendable () -> Date, key: @escaping @Sendable () throws(GatewayError) -> Secret
    ) {
        readKey = key
        self.database = database
        self.elevations = elevations
        self.hasher = hasher
        self.audit = audit
        self.now = now
    }

    /// Whether a person has a PIN.
    package func isSet(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(PINStatements.isSet, person) ?? false }
    }

    /// Sets the PIN of a person who has none. `session` is the session that makes the request, if any. It must be live
    /// when the PIN is written.
    ///
    /// - Throws: ``GatewayError/Code/pinExists``; ``GatewayError/Code/unknownPerson`` when the person was removed or
    ///   the session has ended; ``GatewayError/Code/busy``.
    package func set(_ pin: PIN, of person: UUID, by session: SessionID? = nil) async throws {
        // Hashed before the transaction, which would otherwise hold up all other writes.
        let hash = try await self.hash(of: pin, of: person).rawValue
        let now = now()
        let count = try await database.write { connection -> Int? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            if let session, try connection.first(PINStatements.isLive, session.rawValue, person, now) != true {
                return nil
            }
            return try connection.run(PINStatements.insert, person, hash)
        }
        guard let count else { throw GatewayError.changedMeanwhile }
        guard count == 1 else { throw GatewayError(.pinExists, "This person already has a PIN.") }
        audit.record(AuditEvent(.pinChanged, reason: "set", person: person))
    }

    /// Returns the hash of a PIN, to be stored.
    ///
    /// - Throws: ``GatewayError/Code/busy``; ``GatewayError/Code/file`` when the key cannot be read.
    func hash(of pin: PIN, of person: UUID) async throws -> PINHash {
        PINHash(
            ofCode: try await hasher.hash(
                PINHash.code(of: pin, of: person, key: try currentKey()), for: .person(person)))
    }

    /// Whether a hash is that of a PIN.
    private func matches(_ pin: PIN, of person: UUID, _ hash: PINHash) async throws -> Bool {
        let secret = hash.isKeyed ? PINHash.code(of: pin, of: person, key: try currentKey()) : pin.secret
        return try await hasher.verify(secret, against: hash.password, mayEnter: true, for: .person(person))
    }

    private func currentKey() throws(GatewayError) -> Secret {
        try key.withLock { key throws(GatewayError) in
            if let key { return key }
            let read = try readKey()
            key = read
            return read
        }
    }

    /// Checks a PIN.
    ///
    /// - Throws: ``GatewayError/Code/busy``. The attempt does not count then.
    package func check(_ pin: PIN, of person: UUID) async throws -> CheckResult {
        try await check(pin, of: person) { { _ in } }
    }

    /// Checks a PIN, and elevates the session if it is correct; see ``ElevationStore``.
    ///
    /// If the PIN is changed or removed during the check, the session is not elevated. The transaction that elevates
    /// the session checks this.
    ///
    /// - Throws: ``GatewayError/Code/busy``. The attempt does not count then.
    package func unlock(_ session: SessionID, with pin: PIN, of person: UUID) async throws -> CheckResult {
        // This also runs when the caller is cancelled, because the elevation may have been written.
        defer { elevations.invalidate(session) }
        return try await check(pin, of: person) { [now] in
            { connection in
                let begun = now()
                try connection.run(
                    ElevationStatements.begin, begun, begun + ElevationStore.lifetime, session.rawValue)
            }
        }
    }

    /// Checks a PIN. If it is correct, `prepare` creates a change, which runs in the transaction that confirms that the
    /// PIN is still the person's.
    package func check(
        _ pin: PIN, of person: UUID, prepare: () async throws -> @Sendable (Connection) throws -> Void
    ) async throws -> CheckResult {
        switch try await reserve(person) {
        case .none: return .notSet
        case .locked(let wait): return .limited(wait)
        case .granted(let hash, let lockOut):
            let onSuccess: (@Sendable (Connection) throws -> Void)?
            var newHash: PINHash?
            do {
                let isRight = try await matches(pin, of: person, hash)
                onSuccess = isRight ? try await prepare() : nil
                if isRight, !hash.isKeyed { newHash = try await self.hash(of: pin, of: person) }
            } catch {
                _ = try await database.write { try $0.run(PINStatements.returnAttempt, person, hash.rawValue) }
                throw error
            }
            if let onSuccess {
                return try await database.write { [newHash] connection in
                    guard try connection.run(PINStatements.resetAttempts, person, hash.rawValue) == 1 else {
                        return .wrong
                    }
                    if let newHash {
                        try connection.run(PINStatements.replaceHash, newHash.rawValue, person, hash.rawValue)
                    }
                    try onSuccess(connection)
                    return .right
                }
            }
            // Nothing is written here, because `reserve` has already counted the attempt.
            audit.record(AuditEvent(.pinFailed, person: person))
            if let lockOut { audit.record(AuditEvent(.lockedOut, reason: "pin", person: person, duration: lockOut)) }
            return .wrong
        }
    }

    private enum Reservation: Sendable {
        case none
        case locked(Duration)
        /// An attempt is allowed. `lockOut` is the length of the lock-out that starts with it, if any.
        case granted(PINHash, lockOut: Duration?)
    }

    /// Counts an attempt before the PIN is checked.
    private func reserve(_ person: UUID) async throws -> Reservation {
        let now = now()
        let reservation = try await database.write { connection throws(DatabaseError) -> Reservation? in
            for _ in 0..<Self.tries {
                guard let stored = try connection.first(PINStatements.find, person) else { return Reservation.none }
                if let wait = stored.wait(at: now) { return .locked(wait) }
                var counted = stored
                let lockOut = counted.count(at: now)
                let count = try connection.run(
                    PINStatements.count, counted.attempts, counted.lockOuts, counted.lockedUntil, person,
                    stored.hash.rawValue, stored.attempts, stored.lockOuts)
                if count == 1 { return .granted(stored.hash, lockOut: lockOut) }
            }
            return nil
        }
        guard let reservation else {
            throw GatewayError(.busy, "Too many attempts with this PIN run at this moment; try again shortly.")
        }
        return reservation
    }

    /// The number of tries when other gateways count attempts of the same person between a read and a write. A database
    /// that runs one transaction after another needs one.
    private static let tries = 8
}
