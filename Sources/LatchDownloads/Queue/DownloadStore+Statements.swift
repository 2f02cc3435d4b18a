import Database
import FoundationEssentials
import HTTPClient
import HTTPMessages

extension DownloadStore {
    // A failed task keeps its part when it is added again with the same address, length and digest.
    // `IS` and not `=`, because length and digest may be null.
    static let insert = Statement(
        """
        INSERT INTO downloads (id, account, host, grp, url, headers, filename, wants_progress, metadata, size, live_id, \
        state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting') \
        ON CONFLICT (account, id) DO UPDATE SET host = excluded.host, grp = excluded.grp, url = excluded.url, \
        headers = excluded.headers, filename = excluded.filename, wants_progress = excluded.wants_progress, \
        metadata = excluded.metadata, size = excluded.size, live_id = excluded.live_id, state = 'waiting', reason = NULL, \
        attempts = 0, not_before = 0, is_whole = 0, path = NULL, \
        resume = iif(state = 'failed' AND url = excluded.url AND metadata ->> 'size' IS excluded.metadata ->> 'size' \
        AND metadata ->> 'sha1' IS excluded.metadata ->> 'sha1', resume, NULL) \
        WHERE state IN ('done', 'skipped', 'failed')
        """,
        String.self, UUID.self, String.self, String.self, String.self, String.self, String.self, Bool.self,
        String.self, Int?.self, String?.self)

    static let selectLanes = Statement(
        "SELECT DISTINCT host, grp FROM download_counts WHERE state = 'waiting' AND count > 0"
    ) {
        row throws(DatabaseError) in
        Lane(host: try row.get(0), group: DownloadGroup(rawValue: try row.get(1)))
    }

    /// The digits that identify the queue in the names of parts, in each row of a result.
    static let partOwner = "(SELECT id FROM download_owner)"

    static let selectPartOwner = Statement("SELECT id FROM download_owner") { row throws(DatabaseError) in
        try row.get(0) as String
    }

    private static let columns = """
        position, id, account, host, grp, url, headers, filename, wants_progress, metadata, state, reason, attempts, \
        not_before, resume, boot, is_whole, path, size, \(partOwner)
        """

    static let selectWaiting = Statement(
        """
        SELECT \(columns) FROM downloads WHERE state = 'waiting' AND host = ? AND grp = ? AND position > ? \
        AND not_before <= ? ORDER BY position LIMIT ?
        """, String.self, String.self, Int.self, Date.self, Int.self, row: row)

    // `not_before > 0` repeats the condition of the partial index, which SQLite cannot derive from a parameter.
    static let selectTime = Statement(
        "SELECT min(not_before) FROM downloads WHERE state = 'waiting' AND not_before > 0 AND not_before > ?", Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Date? }

    static let selectOne = Statement("SELECT \(columns) FROM downloads WHERE position = ?", Int.self, row: row)

    // The subquery lets SQLite use the index on (account, id) for every account. There is no index on the id alone.
    static let selectNamed = Statement(
        """
        SELECT \(columns) FROM downloads WHERE id BETWEEN ?1 AND ?2 \
        AND account IN (SELECT id FROM accounts WHERE ?3 IS NULL OR id = ?3) ORDER BY position LIMIT 100
        """, String.self, String.self, UUID?.self, row: row)

    static let selectPartner = Statement(
        "SELECT \(columns) FROM downloads WHERE account = ? AND live_id = ? AND position <> ?", UUID.self,
        String.self, Int.self, row: row)

    static let selectPage = Statement(
        "SELECT \(columns) FROM downloads WHERE position > ? ORDER BY position LIMIT ?", Int.self, Int.self, row: row)

    /// The pages of the states that have an index. The state is in the text, so that SQLite uses the index.
    static let selectIndexedPages = Dictionary(
        uniqueKeysWithValues: ["failed", "skipped", "paused"].map { state in
            (
                state,
                Statement(
                    "SELECT \(columns) FROM downloads WHERE state = '\(state)' AND position > ? ORDER BY position LIMIT ?",
                    Int.self, Int.self, row: row)
            )
        })

    // The unary plus keeps SQLite from other indexes, so that the range limits the rows read.
    static let selectStatePage = Statement(
        """
        SELECT \(columns) FROM downloads WHERE position > ? AND position <= ? AND +state = ? ORDER BY position LIMIT ?
        """, Int.self, Int.self, String.self, Int.self, row: row)

    /// The condition of the index on tasks that may have a part, in the same words, so that SQLite uses the index.
    private static let mayHavePart = """
        ((state = 'waiting' OR state = 'running' OR state = 'paused') AND (resume IS NOT NULL OR is_whole = 1) \
        OR state = 'failed' AND resume IS NOT NULL)
        """

    static let selectUnplaced = Statement(
        "SELECT \(columns) FROM downloads WHERE \(mayHavePart) AND is_whole = 1 AND path IS NOT NULL ORDER BY position",
        row: row)

    static let selectOpen = Statement(
        """
        SELECT position, account, id, state = 'failed' FROM downloads WHERE position > ? AND \(mayHavePart) \
        ORDER BY position LIMIT ?
        """, Int.self, Int.self
    ) { row throws(DatabaseError) in
        PartOwner(
            position: try row.get(0), account: try row.get(1), id: try row.get(2), hasFailed: try row.get(3))
    }

    static let selectCounts = Statement(
        "SELECT state, sum(count), sum(bytes), sum(sized) FROM download_counts WHERE count > 0 GROUP BY state"
    ) { row throws(DatabaseError) in
        StateCount(state: try row.get(0), count: try row.get(1), bytes: try row.get(2), sized: try row.get(3))
    }

    static let selectOpenCount = Statement(
        """
        SELECT coalesce(sum(count), 0) FROM download_counts WHERE account = ? \
        AND state IN ('waiting', 'running', 'paused')
        """, UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let selectUnfinished = Statement(
        """
        SELECT coalesce(sum(count), 0) FROM download_counts WHERE host = ? AND state IN ('waiting', 'running')
        """, String.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let selectOpenCounts = Statement(
        """
        SELECT account, sum(count) FROM download_counts WHERE state IN ('waiting', 'running', 'paused') AND count > 0 \
        GROUP BY account
        """
    ) { row throws(DatabaseError) in (try row.get(0) as UUID, try row.get(1) as Int) }

    static let selectRevision = Statement("SELECT revision FROM download_signals") {
        row throws(DatabaseError) in try row.get(0) as Int
    }

    static let signal = Statement("UPDATE download_signals SET revision = revision + 1")

    static let update = Statement(
        """
        UPDATE downloads SET state = ?, reason = ?, attempts = coalesce(?, attempts), \
        not_before = coalesce(?, not_before), resume = iif(?, resume, NULL) \
        WHERE position = ? AND state IN ('waiting', 'running')
        """, String.self, String?.self, Int?.self, Date?.self, Bool.self, Int.self)

    static let updateResume = Statement(
        "UPDATE downloads SET resume = ?, boot = ?, size = coalesce(?, size) WHERE position = ?", String?.self,
        String?.self, Int?.self, Int.self)

    // Only a waiting task: a command may have paused it after its transfer started.
    static let updateBegun = Statement(
        "UPDATE downloads SET state = 'running' WHERE position = ? AND state = 'waiting'", Int.self)

    /// A file that was complete at once is not marked as running yet.
    private static let isRunning = "state = CASE state WHEN 'waiting' THEN 'running' ELSE state END"

    static let updateHalf = Statement("UPDATE downloads SET is_whole = 1, \(isRunning) WHERE position = ?", Int.self)

    static let updateRestart = Statement(
        "UPDATE downloads SET is_whole = 0, path = NULL, resume = NULL WHERE position = ?", Int.self)

    static let updateEnd = Statement(
        """
        UPDATE downloads SET state = ?, reason = ?, resume = iif(?, resume, NULL) \
        WHERE position = ? AND state IN ('waiting', 'running', 'paused')
        """, String.self, String?.self, Bool.self, Int.self)

    static let updateBack = Statement(
        "UPDATE downloads SET state = 'waiting' WHERE position = ? AND state = 'running'", Int.self)

    static let selectHalves = Statement(
        "SELECT \(columns) FROM downloads WHERE state = 'running' AND is_whole = 1 AND path IS NULL", row: row)

    static let selectWaits = Statement(
        "SELECT 1 FROM download_counts WHERE state = 'waiting' AND account = ? AND count > 0 LIMIT 1", UUID.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    static let updateWhole = Statement(
        "UPDATE downloads SET is_whole = 1, path = ?, \(isRunning) WHERE position = ?", String?.self, Int.self)

    /// Leaves out the running state, because the file is marked as done right after. A complete file is taken up from
    /// either state.
    static let updateReady = Statement(
        "UPDATE downloads SET is_whole = 1, path = ? WHERE position = ?", String?.self, Int.self)

    // In any state: whatever a command has changed meanwhile, the file is at its destination.
    static let updateDone = Statement(
        """
        UPDATE downloads SET state = 'done', reason = NULL, path = ?, size = coalesce(?, size), resume = NULL \
        WHERE position = ?
        """, String.self, Int?.self, Int.self)

    static let remove = Statement("DELETE FROM downloads WHERE position = ?", Int.self)

    static let restore = Statement("UPDATE downloads SET state = 'waiting' WHERE state = 'running'")

    private static let row: @Sendable (SQLRow) throws(DatabaseError) -> QueuedTask = { row throws(DatabaseError) in
        let account: UUID = try row.get(2)
        let headers: String = try row.get(6)
        let metadata: String = try row.get(9)
        let resume: String? = try row.get(14)
        let task = DownloadTask(
            id: try row.get(1), account: account, url: try row.get(5),
            headers: headers == "{}"
                ? [:] : (try? JSON.decode([String: String].self, from: Array(headers.utf8))) ?? [:],
            filename: try row.get(7), group: DownloadGroup(rawValue: try row.get(4)), reportsProgress: try row.get(8),
            metadata: metadata == DownloadStore.noMetadata
                ? DownloadMetadata()
                : (try? JSON.decode(DownloadMetadata.self, from: Array(metadata.utf8))) ?? DownloadMetadata())
        return QueuedTask(
            position: try row.get(0), task: task, state: DownloadState(word: try row.get(10), reason: try row.get(11)),
            waitReason: try row.get(11), attempts: try row.get(12), notBefore: try row.get(13),
            bytes: try row.get(18),
            path: try row.get(17),
            resume: resume.flatMap { try? JSON.decode(ResumePoint.self, from: Array($0.utf8)) }, boot: try row.get(15),
            partOwner: try row.get(19), isWhole: try row.get(16), host: try row.get(3))
    }
}
