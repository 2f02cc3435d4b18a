import Crypto
import Database
import FoundationEssentials

/// A PIN as the database has it, with the guesses that were made.
struct StoredPIN: Sendable {
    let hash: PasswordHash
    /// Guesses since the last right one or the last lock-out.
    private(set) var attempts: Int
    /// How many lock-outs there were in a row.
    private(set) var lockOuts: Int
    private(set) var lockedUntil: Date?

    /// For how long nobody may guess; nil when somebody may.
    func wait(at now: Date) -> Duration? {
        guard let lockedUntil, now < lockedUntil else { return nil }
        // A clock set back must not make a lock-out longer than it can be.
        return min(.seconds(lockedUntil.timeIntervalSince(now)), PINStore.limit.maximumLockOut)
    }

    /// Counts a guess. The last one that there is begins a lock-out, which is as long as is returned; when it turns out to be
    /// right, that is taken back.
    mutating func count(at now: Date) -> Duration? {
        let limit = PINStore.limit
        // After a day without a lock-out the next one is a first one.
        if let lockedUntil, now >= lockedUntil + limit.maximumLockOut { lockOuts = 0 }
        attempts += 1
        guard attempts >= limit.attempts else { return nil }
        // Shifting further than this is past any maximum.
        let length = min(limit.firstLockOut * (1 << min(lockOuts, 30)), limit.maximumLockOut)
        attempts = 0
        lockOuts += 1
        lockedUntil = now + length
        return length
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        hash = PasswordHash(rawValue: try row.get(0))
        attempts = try row.get(1)
        lockOuts = try row.get(2)
        lockedUntil = try row.get(3)
    }
}

/// The SQL of PINs. What settles a guess names the hash: a PIN that was changed meanwhile has a count of its own.
enum PINStatements {
    static let isSet = Statement("SELECT EXISTS (SELECT 1 FROM pins WHERE person_id = ?)", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    /// Whether no password was changed, nor the person disabled, since the epoch was read.
    static let isSameEpoch = Statement(
        "SELECT EXISTS (SELECT 1 FROM people WHERE id = ? AND session_epoch = ? AND disabled_at IS NULL)", UUID.self,
        Int.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let isLive = Statement(
        """
        SELECT EXISTS (
            SELECT 1 FROM sessions s JOIN people p ON p.id = s.person_id
            WHERE s.id = ? AND p.id = ? AND s.ended_at IS NULL AND s.expires_at > ? AND p.disabled_at IS NULL)
        """, String.self, UUID.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Bool }

    static let find = Statement(
        "SELECT hash, attempts, lock_outs, locked_until FROM pins WHERE person_id = ?", UUID.self,
        row: StoredPIN.init)

    static let insert = Statement(
        "INSERT INTO pins (person_id, hash) VALUES (?, ?) ON CONFLICT (person_id) DO NOTHING", UUID.self, String.self)

    static let change = Statement(
        "UPDATE pins SET hash = ?, attempts = 0, lock_outs = 0, locked_until = NULL WHERE person_id = ?", String.self,
        UUID.self)

    static let delete = Statement("DELETE FROM pins WHERE person_id = ?", UUID.self)

    static let count = Statement(
        "UPDATE pins SET attempts = ?, lock_outs = ?, locked_until = ? WHERE person_id = ?", Int.self, Int.self,
        Date?.self, UUID.self)

    static let forgive = Statement(
        "UPDATE pins SET attempts = 0, lock_outs = 0, locked_until = NULL WHERE person_id = ? AND hash = ?", UUID.self,
        String.self)

    static let returnAttempt = Statement(
        "UPDATE pins SET attempts = max(0, attempts - 1) WHERE person_id = ? AND hash = ?", UUID.self, String.self)
}
