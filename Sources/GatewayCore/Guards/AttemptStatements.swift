import Database
import FoundationEssentials

/// What a counter counts.
enum AttemptKind: String, Sendable {
    case address, network, account
}

/// SQL statements for the counters of attempts and the attempts in progress.
enum AttemptStatements {
    static let find = Statement(
        "SELECT failures, lock_outs, window_ends_at, locked_until FROM attempt_counters WHERE digest = ?",
        [UInt8].self, row: AttemptCounter.init)

    /// Creates a counter or records its use.
    static let touch = Statement(
        """
        INSERT INTO attempt_counters (digest, kind, failures, lock_outs, window_ends_at, locked_until, used_at)
        VALUES (?1, ?2, 0, 0, 0, 0, ?3)
        ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at
        """, [UInt8].self, String.self, Date.self)

    static let update = Statement(
        """
        UPDATE attempt_counters SET failures = ?, lock_outs = ?, window_ends_at = ?, locked_until = ? WHERE digest = ?
        """, Int.self, Int.self, Date.self, Date.self, [UInt8].self)

    /// The number of attempts in progress from an address.
    static let inProgressFromAddress = Statement(
        "SELECT count(*) FROM attempts_in_progress WHERE address = ? AND ends_at > ?", [UInt8].self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    /// The number of attempts in progress on an account.
    static let inProgressOnAccount = Statement(
        "SELECT count(*) FROM attempts_in_progress WHERE account = ? AND ends_at > ?", [UInt8].self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let begin = Statement(
        "INSERT INTO attempts_in_progress (id, address, account, ends_at) VALUES (?, ?, ?, ?)", [UInt8].self,
        [UInt8].self, [UInt8]?.self, Date.self)

    static let end = Statement("DELETE FROM attempts_in_progress WHERE id = ?", [UInt8].self)

    static let deleteEnded = Statement("DELETE FROM attempts_in_progress WHERE ends_at <= ?", Date.self)

    /// Deletes the counters of a kind that hold no information: at `?2` their failures and lock-outs are over, and at
    /// `?3` they would not make the next lock-out longer either.
    static let deleteIdle = Statement(
        """
        DELETE FROM attempt_counters
        WHERE kind = ?1 AND used_at <= ?2 AND locked_until <= ?2 AND (failures = 0 OR window_ends_at <= ?2)
            AND (lock_outs = 0 OR locked_until <= ?3)
        """, String.self, Date.self, Date.self)

    static let count = Statement("SELECT count(*) FROM attempt_counters WHERE kind = ?", String.self) {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    /// Deletes the counters of a kind that hold the least information. Lock-outs are deleted last.
    static let deleteLeast = Statement(
        """
        DELETE FROM attempt_counters WHERE digest IN (
            SELECT digest FROM attempt_counters WHERE kind = ? ORDER BY lock_outs, failures, used_at LIMIT ?)
        """, String.self, Int.self)
}

extension AttemptCounter {
    @Sendable
    fileprivate init(_ row: SQLRow) throws(DatabaseError) {
        self.init(
            failures: try row.count(0), lockOuts: try row.count(1), windowEnds: try row.get(2),
            lockedUntil: try row.get(3))
    }
}
