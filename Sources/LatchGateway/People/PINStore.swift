import Crypto
import Database
public import FoundationEssentials

/// People's PINs, hashed like passwords.
///
/// Of a PIN there are few, so guessing is bounded for each person: after ``limit`` wrong ones in a row the PIN is shut, for
/// a minute at first and twice as long each further time, up to a day. That is counted in the database, before the PIN is
/// looked at: neither a restart nor another gateway nor many guesses at once give more. The right PIN ends the count;
/// so does a new PIN.
///
/// Source: IM-15; contract of Immich, b.7; NIST SP 800-63B §5.2.2.
public final class PINStore: Sendable {
    /// How many guesses there are.
    public static let limit = AttemptLimit(
        attempts: 5, window: .seconds(86_400), firstLockOut: .seconds(60), maximumLockOut: .seconds(86_400))

    /// What became of a PIN that was typed.
    public enum Answer: Sendable, Equatable {
        /// It is the person's.
        case right
        /// It is not.
        case wrong
        /// The person has none.
        case notSet
        /// Too many were wrong; stay away for so long.
        case limited(Duration)
    }

    let database: Database
    let hasher: PasswordHasher
    let audit: AuditLog
    private let elevations: ElevationStore
    let now: @Sendable () -> Date

    /// Makes a store on a database with the gateway's tables.
    init(
        database: Database, hasher: PasswordHasher, audit: AuditLog, elevations: ElevationStore,
        now: @escaping @Sendable () -> Date
    ) {
        self.database = database
        self.elevations = elevations
        self.hasher = hasher
        self.audit = audit
        self.now = now
    }

    /// Whether a person has a PIN.
    public func isSet(_ person: UUID) async throws -> Bool {
        try await database.read { try $0.first(PINStatements.isSet, person) ?? false }
    }

    /// Gives a person a PIN who has none. `session` is the session that asks, if one does; it must be live in the write.
    ///
    /// - Throws: ``GatewayError/Code/pinExists``; ``GatewayError/Code/unknownPerson`` when the person is gone or the session is
    ///   over; ``GatewayError/Code/busy``.
    public func set(_ pin: PIN, of person: UUID, by session: SessionID? = nil) async throws {
        let hash = try await hasher.hash(pin.secret).rawValue
        let now = now()
        let count = try await database.write { connection -> Int? in
            guard try connection.first(PeopleStatements.byID, person) != nil else { return nil }
            if let session, try connection.first(PINStatements.isLive, session.rawValue, person, now) != true {
                return nil
            }
            return try connection.run(PINStatements.insert, person, hash)
        }
        guard let count else { throw GatewayError.changedMeanwhile }
        guard count == 1 else { throw GatewayError(.pinExists, "This person has a PIN already.") }
        audit.record(AuditEvent(.pinChanged, reason: "set", person: person))
    }

    /// Checks a PIN that somebody typed.
    ///
    /// - Throws: ``GatewayError/Code/busy``; then the guess does not count.
    public func check(_ pin: PIN, of person: UUID) async throws -> Answer {
        try await check(pin, of: person) { { _ in } }
    }

    /// Checks a PIN that somebody typed, and elevates the session when it is right; see ``ElevationStore``.
    ///
    /// A PIN that is changed or removed while it is checked elevates nothing: whether it still is the person's is asked
    /// in the write that elevates.
    ///
    /// - Throws: ``GatewayError/Code/busy``; then the guess does not count.
    func unlock(_ session: SessionID, with pin: PIN, of person: UUID) async throws -> Answer {
        // Even when the caller is gone before the answer: it may have been written.
        defer { elevations.noteBegun(session) }
        return try await check(pin, of: person) { [now] in
            { connection in
                let begun = now()
                try connection.run(
                    ElevationStatements.begin, begun, begun + ElevationStore.lifetime, session.rawValue)
            }
        }
    }

    /// Checks a PIN; what `prepare` gives once it is right is of the same write that finds it to be the person's still.
    func check(
        _ pin: PIN, of person: UUID, prepare: () async throws -> @Sendable (Connection) throws -> Void
    ) async throws -> Answer {
        switch try await reserve(person) {
        case .none: return .notSet
        case .locked(let wait): return .limited(wait)
        case .granted(let hash, let lockOut):
            let whenRight: (@Sendable (Connection) throws -> Void)?
            do {
                let matches = try await hasher.verify(pin.secret, against: hash, mayEnter: true)
                whenRight = matches ? try await prepare() : nil
            } catch {
                _ = try await database.write { try $0.run(PINStatements.returnAttempt, person, hash.rawValue) }
                throw error
            }
            if let whenRight {
                return try await database.write { connection in
                    guard try connection.run(PINStatements.forgive, person, hash.rawValue) == 1 else { return .wrong }
                    try whenRight(connection)
                    return .right
                }
            }
            audit.record(AuditEvent(.pinFailed, person: person))
            if let lockOut { audit.record(AuditEvent(.lockedOut, reason: "pin", person: person, duration: lockOut)) }
            return .wrong
        }
    }

    private enum Reservation: Sendable {
        case none
        case locked(Duration)
        /// One guess; how long the lock-out is that begins with it.
        case granted(PasswordHash, lockOut: Duration?)
    }

    /// Counts a guess before it is made.
    private func reserve(_ person: UUID) async throws -> Reservation {
        let now = now()
        return try await database.write { connection throws(DatabaseError) in
            guard var stored = try connection.first(PINStatements.find, person) else { return .none }
            if let wait = stored.wait(at: now) { return .locked(wait) }
            let lockOut = stored.count(at: now)
            try connection.run(
                PINStatements.count, stored.attempts, stored.lockOuts, stored.lockedUntil, person)
            return .granted(stored.hash, lockOut: lockOut)
        }
    }
}
