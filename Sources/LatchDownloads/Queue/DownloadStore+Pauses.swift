import Database
public import FoundationEssentials
import LatchKit

/// A pause of a host: none of its files is requested before a certain time.
public struct HostPause: Sendable, Hashable {
    /// The host, with its port.
    public let host: String
    /// When the first of its files is tried again.
    public let until: Date
    /// Why the host is paused, as a sentence.
    public let reason: String
}

extension Date {
    /// The local time in the form `19:30`, preceded by the date unless it is today.
    public var localTimeText: String {
        func text(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle(timeZone: .current)) }
        let (then, now) = (text(self), text(Date()))
        let (day, time) = (then.prefix(10), then.dropFirst(11).prefix(5))
        return day == now.prefix(10) ? String(time) : "\(day) \(time)"
    }
}

/// The pauses of hosts. They are stored, so that they outlive the program that set them.
extension DownloadStore {
    /// Returns the hosts that are paused now.
    func pauses(after now: Date) async throws -> [HostPause] { try await read { try $0.all(Self.selectPauses, now) } }

    /// Stores the pause of a host.
    func record(_ pause: HostPause) async throws {
        try await write { _ = try $0.run(Self.upsertPause, pause.host, pause.until, pause.reason) }
    }

    /// Removes the pauses of hosts.
    func removePauses(of hosts: Set<String>) async throws {
        try await write { connection in for host in hosts { _ = try connection.run(Self.removePause, host) } }
    }

    /// Returns when a task was last made to wait for a time.
    func lastWait() async throws -> Date? { try await read { try $0.first(Self.selectLastWait) } }

    /// Ends all pauses of tasks and of hosts.
    func endPauses() async throws {
        try await command { connection in
            _ = try connection.run(Self.freeAll, nil)
            _ = try connection.run(Self.removePauses, nil)
        }
    }

    /// Ends the pauses of tasks and of their hosts.
    ///
    /// - Returns: The number of tasks that were waiting for a time.
    func free(_ ids: [String]?, of account: UUID?, now: Date) async throws -> Int {
        try await command { connection in
            guard let ids else {
                let count = try connection.first(Self.countPaused, account, now) ?? 0
                _ = try connection.run(Self.freeAll, account)
                _ = try connection.run(Self.removePauses, account)
                return count
            }
            return try ids.reduce(0) { count, id in
                let paused = try connection.first(Self.countOnePaused, id, account, now) ?? 0
                _ = try connection.run(Self.freeOne, id, account)
                _ = try connection.run(Self.removePauseOfOne, id, account)
                return count + paused
            }
        }
    }

    private static let selectPauses = Statement(
        "SELECT host, until, reason FROM download_pauses WHERE until > ? ORDER BY host", Date.self
    ) { row throws(DatabaseError) in
        HostPause(host: try row.get(0), until: try row.get(1), reason: try row.get(2))
    }

    private static let upsertPause = Statement(
        """
        INSERT INTO download_pauses (host, until, reason) VALUES (?, ?, ?) \
        ON CONFLICT DO UPDATE SET until = excluded.until, reason = excluded.reason
        """, String.self, Date.self, String.self)

    private static let removePause = Statement("DELETE FROM download_pauses WHERE host = ?", String.self)

    static let removeEndedPauses = Statement("DELETE FROM download_pauses WHERE until <= ?", Date.self)

    private static let removePauses = Statement(
        """
        DELETE FROM download_pauses \
        WHERE ?1 IS NULL OR host IN (SELECT host FROM download_counts WHERE account = ?1 AND count > 0)
        """, UUID?.self)

    private static let selectLastWait = Statement("SELECT rested FROM download_signals") {
        row throws(DatabaseError) in try row.get(0) as Date
    }

    static let recordWait = Statement("UPDATE download_signals SET rested = ?", Date.self)

    private static let isPaused = "(not_before > ?%d OR host IN (SELECT host FROM download_pauses WHERE until > ?%d))"

    private static let countPaused = Statement(
        """
        SELECT count(*) FROM downloads WHERE state = 'waiting' AND (?1 IS NULL OR +account = ?1) \
        AND \(isPaused.replacing("%d", with: "2"))
        """, UUID?.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    private static let freeAll = Statement(
        """
        UPDATE downloads SET not_before = 0, reason = NULL \
        WHERE state = 'waiting' AND not_before > 0 AND (?1 IS NULL OR +account = ?1)
        """, UUID?.self)

    private static let countOnePaused = Statement(
        """
        SELECT count(*) FROM downloads WHERE state = 'waiting' AND \(both(account: "?2")) \
        AND \(isPaused.replacing("%d", with: "3"))
        """, String.self, UUID?.self, Date.self
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    private static let freeOne = Statement(
        "UPDATE downloads SET not_before = 0, reason = NULL WHERE state = 'waiting' AND \(both(account: "?2"))",
        String.self, UUID?.self)

    private static let removePauseOfOne = Statement(
        "DELETE FROM download_pauses WHERE host IN (SELECT host FROM downloads WHERE \(both(account: "?2")))",
        String.self, UUID?.self)
}
