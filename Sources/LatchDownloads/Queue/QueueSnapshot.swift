import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// What the queue's file and the parts tell of a queue that another program runs.
public struct QueueSnapshot: Sendable {
    /// A task as it is seen from outside.
    public struct File: Sendable, Identifiable {
        /// The queue's number of it.
        public let position: Int
        /// The task's id.
        public let taskID: String
        /// What the file is to be called.
        public let filename: String
        /// Where it stands.
        public let state: DownloadState
        /// How many bytes have come.
        public let received: Int
        /// How many there will be, where that is known.
        public let total: Int?
        /// Where its file is.
        public let path: String?

        /// The queue's number of it.
        public var id: Int { position }
    }

    /// How many stand where; the bytes of those that run are in it.
    public let overall: OverallProgress
    /// What is being fetched.
    public let running: [File]
    /// What was asked for and is fetched no more.
    public let ended: [File]
    /// Why files wait; nil when nothing holds them up that is known outside of the program that fetches. A missing folder is told
    /// before an account that must sign in, and that before a paused host.
    public let heldBecause: String?
}

extension DownloadQueue {
    /// Looks at the queue without running it.
    ///
    /// - Parameter before: What ran at the last glance, to be told what became of it.
    /// - Returns: How all stand, and each that runs.
    /// - Throws: The codes of the storage.
    public func glance(before: [QueueSnapshot.File] = []) async throws -> QueueSnapshot {
        let rows = try await LatchError.telling {
            try await store.database.read { connection in
                var rows = try connection.all(Self.selectRunning)
                let positions = Set(rows.map(\.position))
                for file in before where !positions.contains(file.position) {
                    rows += try connection.all(Self.selectPosition, file.position)
                }
                return rows
            }
        }
        let files = rows.map(file)
        let running = files.filter { $0.state == .running }
        tally.take(try await store.counts())
        let overall = tally.overall(received: running.reduce(0) { $0 + $1.received }, gained: nil, now: .now)
        return QueueSnapshot(
            overall: overall, running: running, ended: files.filter { $0.state != .running },
            heldBecause: try await reasonToWait())
    }

    /// Why the disk holds up all files: their folder is missing, or the program that fetches has begun none and there is no
    /// room. Nil otherwise.
    ///
    /// - Throws: The codes of the storage.
    public func diskProblem() async throws -> String? {
        do {
            try await checkFolder()
        } catch let error as LatchError where error.code == .folderGone {
            return PauseReason.disk(.folder).sentence(folder: library.folder, database: "")
        }
        guard try isRunningSomewhere(),
            try await store.counts().contains(where: { $0.state == "waiting" && $0.count > 0 }),
            try await LatchError.telling(nil, { try await store.database.read { try $0.first(Self.selectRunning) } })
                == nil
        else { return nil }
        let database = store.database.path ?? ""
        let places: [(PauseReason, String)] = [
            (.disk(.files), partsFolder),
            (.disk(.queue), URL(fileURLWithPath: database).deletingLastPathComponent().path),
        ]
        return places.first { DownloadPart.freeBytes(in: $0.1).map { $0 <= DiskSpace.minimumFreeBytes } ?? false }?.0
            .sentence(folder: library.folder, database: database)
    }

    private func reasonToWait() async throws -> String? {
        if let problem = try await diskProblem() { return problem }
        guard let account = try await heldAccounts().first else {
            return try await store.pauses(after: now()).first?.sentence
        }
        return account.isSignedIn
            ? "\(account.serverURL) wants another password before anything else: latch password"
            : "Files wait for a sign-in: latch login \(account.serverURL)"
    }

    /// The hosts whose files wait for a time, and why.
    public func pauses() async throws -> [HostPause] { try await store.pauses(after: now()) }

    /// Whether unfinished files belong to an account that must sign in or change its password.
    ///
    /// - Throws: The codes of the storage.
    public func isSignInAwaited() async throws -> Bool { try await !heldAccounts().isEmpty }

    private func heldAccounts() async throws -> [Account] {
        let open = try await store.openByAccount()
        return try await latch.accounts.accounts().filter {
            open[$0.id] != nil && (!$0.isSignedIn || $0.mustChangePassword)
        }
    }

    /// Whether some program holds what whoever fetches holds; for a moment others hold it too.
    public nonisolated func isRunningSomewhere() throws -> Bool {
        guard let lock = try latch.accounts.lockDownloadsIfFree() else { return true }
        lock.release()
        return false
    }

    /// Whether some program fetches, and is not just about to end: it is looked at for about a second.
    ///
    /// - Throws: The codes of the storage; `CancellationError`.
    public nonisolated func isFetchedElsewhere() async throws -> Bool {
        do {
            try await latch.accounts.lockDownloads().release()
            return false
        } catch let error as LatchError where error.code == .storageLocked {
            return true
        }
    }

    /// What the file of a task is to be called; nil when there is no such task.
    public func filename(of id: String) async throws -> String? {
        try await LatchError.telling { try await store.database.read { try $0.first(Self.selectFilename, id) } }
    }

    private func file(_ row: SnapshotRow) -> QueueSnapshot.File {
        var received = 0
        if row.state == .running {
            let part = partsFolder + "/" + partName.of(row.account, row.taskID)
            received = DownloadPart.size(of: part) ?? 0
        }
        return QueueSnapshot.File(
            position: row.position, taskID: row.taskID, filename: row.filename, state: row.state, received: received,
            total: row.size, path: row.path)
    }

    private static let columns = "position, account, id, filename, state, reason, size, path"

    private static let selectRunning = Statement(
        "SELECT \(columns) FROM downloads WHERE state = 'running' ORDER BY position", row: glanceRow)

    private static let selectPosition = Statement(
        "SELECT \(columns) FROM downloads WHERE position = ?", Int.self, row: glanceRow)

    private static let selectFilename = Statement(
        "SELECT filename FROM downloads WHERE account IN (SELECT id FROM accounts) AND id = ?", String.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    private static let glanceRow: @Sendable (SQLRow) throws(DatabaseError) -> SnapshotRow = {
        row throws(DatabaseError) in
        SnapshotRow(
            position: try row.get(0), account: try row.get(1), taskID: try row.get(2), filename: try row.get(3),
            state: DownloadState(word: try row.get(4), reason: try row.get(5)), size: try row.get(6),
            path: try row.get(7))
    }
}

private struct SnapshotRow: Sendable {
    var position: Int
    var account: UUID
    var taskID: String
    var filename: String
    var state: DownloadState
    var size: Int?
    var path: String?
}
