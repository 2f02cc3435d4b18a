import Database
import FoundationEssentials
import LatchKit

/// The commands of people and other programs. The program that fetches notices them by the revision.
extension DownloadStore {
    /// How many rows one transaction of a command covers. It limits how long other programs wait, and the memory used.
    private static let sweepSize = 5_000

    /// Changes the state of tasks. Without ids, changes all tasks; without an account, those of every account.
    func change(
        _ ids: [String]?, of account: UUID?, from: [DownloadState], to: DownloadState
    ) async throws -> Int {
        let words = from.map(\.word)
        guard let ids else {
            return try await sweep { connection, first, last in
                try words.reduce(0) { try $0 + connection.run(Self.changeAll, to.word, $1, first, last, account) }
            }
        }
        return try await command { connection in
            var changed = 0
            for id in ids {
                for word in words { changed += try connection.run(Self.changeOne, id, to.word, word, account) }
            }
            return changed
        }
    }

    /// Sets failed tasks to waiting, together with the skipped other parts of live photos.
    func retry(_ ids: [String]?, of account: UUID?) async throws -> Int {
        let (failed, skipped, waiting) = (DownloadState.failed("").word, "skipped", DownloadState.waiting)
        guard let ids else {
            return try await change(nil, of: account, from: [.failed("")], to: waiting) + retryOthers(of: account)
        }
        return try await command { connection in
            var changed = 0
            for id in ids {
                let count = try connection.run(Self.changeOne, id, waiting.word, failed, account)
                guard count > 0 else { continue }
                changed += try count + connection.run(Self.changeOne, id, waiting.word, skipped, account)
            }
            return changed
        }
    }

    /// Sets skipped parts of live photos to waiting when their other part is retried.
    func retryOthers(of account: UUID?) async throws -> Int {
        try await sweep { try $0.run(Self.retryOthers, $1, $2, account) }
    }

    /// Removes an unfinished task, together with the other part of a live photo.
    func remove(_ id: String, of account: UUID?) async throws -> Int {
        try await command { try $0.run(Self.removeOne, id, account) }
    }

    /// Removes ended tasks, together with the ended other parts of live photos.
    func removeEndedTasks(_ ids: [String], of account: UUID?) async throws -> Int {
        try await command { connection in
            try ids.reduce(0) { try $0 + connection.run(Self.removeEnded, $1, account) }
        }
    }

    /// Removes all tasks in the given states.
    func remove(in states: [DownloadState], of account: UUID?) async throws -> Int {
        let words = states.map(\.word)
        return try await sweep { connection, first, last in
            try words.reduce(0) { try $0 + connection.run(Self.removeAll, $1, first, last, account) }
        }
    }

    /// Marks as failed up to 500 tasks that wait for a host and whose files are not complete.
    ///
    /// - Returns: The ids of these tasks; empty when none is left.
    func fail(host: String, _ reason: String) async throws -> [DownloadTask.ID] {
        try await command { try $0.all(Self.failHost, reason, host) }
    }

    /// Pauses the tasks of an account without a usable session.
    func pause(account: UUID) async throws {
        _ = try await sweep { try $0.run(Self.pauseAccount, account, $1, $2) }
    }

    /// Has the tasks wait again that ``pause(account:)`` paused, unless a person has paused them since.
    func resume(account: UUID) async throws -> Int {
        try await sweep { try $0.run(Self.resumeAccount, account, $1, $2) }
    }

    func command<Value: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        let value = try await write(outlivesPowerLoss: true) { connection in
            // In the same transaction, so that a program that sees the new revision also sees the change.
            _ = try connection.run(Self.signal)
            return try body(connection)
        }
        await database.reportChange()
        return value
    }

    /// Goes through the whole queue in several transactions. An interrupted sweep keeps what it has done, and can be
    /// repeated.
    private func sweep(
        _ body: @escaping @Sendable (Connection, _ first: Int, _ last: Int) throws -> Int
    ) async throws -> Int {
        var (changed, first) = (0, 1)
        while let last = try await end(from: first) {
            changed += try await command { [first] in try body($0, first, last) }
            first = last + 1
        }
        return changed
    }

    private func end(from first: Int) async throws -> Int? {
        try await read { try $0.first(Self.selectEnd, first, Self.sweepSize) } ?? nil
    }
}

extension DownloadStore {
    static let selectEnd = Statement(
        "SELECT max(position) FROM (SELECT position FROM downloads WHERE position >= ? ORDER BY position LIMIT ?)",
        Int.self, Int.self
    ) { row throws(DatabaseError) in try row.get(0) as Int? }

    /// Returns a condition for the position of a task with id `?1`, of one account or any, and of the other part of a
    /// live photo.
    static func both(account: String) -> String {
        let accounts = "(SELECT id FROM accounts WHERE \(account) IS NULL OR id = \(account))"
        return """
            position IN (SELECT position FROM downloads WHERE account IN \(accounts) AND id = ?1 \
            UNION ALL SELECT other.position FROM downloads AS this JOIN downloads AS other \
            ON other.account = this.account AND other.live_id = this.live_id \
            WHERE this.account IN \(accounts) AND this.id = ?1)
            """
    }

    /// Resets a task. The file at the path of a failed or skipped task is not its own. `resume` says how much of the
    /// part is usable.
    private static let again = """
        reason = NULL, attempts = 0, not_before = 0, is_held = 0, \
        is_whole = iif(state IN ('failed', 'skipped'), 0, is_whole), \
        path = iif(state IN ('failed', 'skipped'), NULL, path)
        """

    static let changeOne = Statement(
        """
        UPDATE downloads SET state = ?2, \(again) WHERE state = ?3 AND \(both(account: "?4"))
        """, String.self, String.self, String.self, UUID?.self)

    static let changeAll = Statement(
        """
        UPDATE downloads SET state = ?1, \(again) WHERE +state = ?2 \
        AND position BETWEEN ?3 AND ?4 AND (?5 IS NULL OR +account = ?5)
        """, String.self, String.self, Int.self, Int.self, UUID?.self)

    /// When one part of a live photo failed, the other one may have been skipped. Both are retried.
    static let retryOthers = Statement(
        """
        UPDATE downloads SET state = 'waiting', \(again) WHERE +state = 'skipped' \
        AND live_id IS NOT NULL AND position BETWEEN ?1 AND ?2 AND (?3 IS NULL OR +account = ?3) AND EXISTS (SELECT 1 FROM downloads AS other \
        WHERE other.account = downloads.account AND other.live_id = downloads.live_id AND +other.state = 'waiting')
        """, Int.self, Int.self, UUID?.self)

    static let removeOne = Statement(
        "DELETE FROM downloads WHERE state IN ('waiting', 'running', 'paused') AND \(both(account: "?2"))",
        String.self, UUID?.self)

    static let removeEnded = Statement(
        "DELETE FROM downloads WHERE state IN ('done', 'skipped', 'failed') AND \(both(account: "?2"))",
        String.self, UUID?.self)

    static let removeAll = Statement(
        """
        DELETE FROM downloads WHERE +state = ?1 AND position BETWEEN ?2 AND ?3 AND (?4 IS NULL OR +account = ?4)
        """, String.self, Int.self, Int.self, UUID?.self)

    static let failHost = Statement(
        """
        UPDATE downloads SET state = 'failed', reason = ? WHERE position IN (SELECT position FROM downloads \
        WHERE state = 'waiting' AND host = ? AND is_whole = 0 LIMIT 500) RETURNING id
        """, String.self, String.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    // The unary plus keeps SQLite from the index on the account, so that the range limits the rows read.
    static let pauseAccount = Statement(
        """
        UPDATE downloads SET state = 'paused', is_held = 1 WHERE +account = ? AND +state IN ('waiting', 'running') \
        AND position BETWEEN ? AND ?
        """, UUID.self, Int.self, Int.self)

    static let resumeAccount = Statement(
        """
        UPDATE downloads SET state = 'waiting', \(again) WHERE +account = ? AND +state = 'paused' AND is_held = 1 \
        AND position BETWEEN ? AND ?
        """, UUID.self, Int.self, Int.self)
}
