import Crypto
import Database
import FoundationEssentials

/// A PIN as stored in the database, with the count of attempts.
struct StoredPIN: Sendable {
    let hash: PINHash
    /// The number of attempts since the last correct one or the last lock-out.
    private(set) var attempts: Int
    /// The number of consecutive lock-outs.
    private(set) var lockOuts: Int
    private(set) var lockedUntil: Date?

    /// Returns how long no attempt is allowed; nil when an attempt is allowed now.
    func wait(at now: Date) -> Duration? {
        guard let lockedUntil, now < lockedUntil else { return nil }
        // If the clock was set back, the lock-out must still not exceed its maximum length.
        return min(.seconds(lockedUntil.timeIntervalSince(now)), PINStore.limit.maximumLockOut)
    }

    /// Counts an attempt. The last allowed attempt starts a lock-out, whose length is returned; other attempts return
    /// nil. If that attempt turns out to be correct, the lock-out is undone.
    mutating func count(at now: Date) -> Duration? {
        let limit = PINStore.limit
        // A day after the end of the last lock-out, the next one is a first one again.
        if let lockedUntil, now >= lockedUntil + limit.maximumLockOut { lockOuts = 0 }
        attempts += 1
        guard attempts >= limit.attempts else { return nil }
        // A larger shift exceeds any maximum and could overflow.
        let length = min(limit.firstLockOut * (1 << min(lockOuts, 30)), limit.maximumLockOut)
        attempts = 0
        lockOuts += 1
        lockedUntil = now + length
        return length
    }

    @Sendable
    init(_ row: SQLRow) throws(DatabaseError) {
        hash = PINHash(rawValue: try row.get(0))
        attempts = try row.count(1)
        lockOuts = try row.count(2)
        lockedUntil = try row.get(3)
    }
}

/// SQL statements for PINs. The statements that settle an attempt compare the hash, because a PIN that was changed in
/// the meantime has its own count.
enum PINStatements {
    static let isSet = Statement("SELECT EXISTS (SELECT 1 FROM pins WHERE person_id = ?)", UUID.self) {
        row throws(DatabaseError) in try row.get(0) as Bool
    }

    /// Whether the session epoch is unchanged since it was read and the person is not disabled. The epoch changes with
    /// the password, for example.
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

    /// Replaces the hash of a PIN by another of the same PIN.
    static let replaceHash = Statement(
        "UPDATE pins SET hash = ? WHERE person_id = ? AND hash = ?", String.self, UUID.self, String.self)

    static let delete = Statement("DELETE FROM pins WHERE person_id = ?", UUID.self)

    /// Stores a count, unless another gateway has counted an attempt since it was read. The last values are the read
    /// ones.
    static let count = Statement(
        """
        UPDATE pins SET attempts = ?, lock_outs = ?, locked_until = ?
        WHERE person_id = ? AND hash = ? AND attempts = ? AND lock_outs = ?
        """, Int.self, Int.self, Date?.self, UUID.self, String.self, Int.self, Int.self)

    static let resetAttempts = Statement(
        "UPDATE pins SET attempts = 0, lock_outs = 0, locked_until = NULL WHERE person_id = ? AND hash = ?", UUID.self,
        String.self)

    static let returnAttempt = Statement(
        "UPDATE pins SET attempts = max(0, attempts - 1) WHERE person_id = ? AND hash = ?", UUID.self, String.self)
}
