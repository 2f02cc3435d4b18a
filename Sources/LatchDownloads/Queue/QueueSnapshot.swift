import Database
public import FoundationEssentials
import HTTPClient
public import LatchKit

/// The state of a queue that another program may run, read from the database and the part files.
public struct QueueSnapshot: Sendable, Hashable {
    /// A task of the queue and the state of its file.
    public struct File: Sendable, Hashable, Identifiable {
        /// The task's position in the queue.
        public let position: Int
        /// The id of the task, unique within its account.
        public let taskID: String
        /// The account of the task.
        public let account: Account.ID
        /// The wanted name of the file.
        public let filename: String
        /// The state of the task.
        public let state: DownloadState
        /// The number of bytes received so far; 0 unless the task is running.
        public let received: Int
        /// The length of the file in bytes. Nil when unknown.
        public let total: Int?
        /// The path where the file is or will be. Nil when not yet known.
        public let path: String?

        /// The task's position in the queue.
        public var id: Int { position }
    }

    /// The progress of all tasks, including the bytes of the running ones.
    public let overall: OverallProgress
    /// The number of tasks that wait for ``DownloadQueue/resume(_:of:)`` or for their account.
    public let paused: Int
    /// The tasks that are being fetched.
    public let running: [File]
    /// The tasks passed to ``DownloadQueue/snapshot(since:)`` that are no longer being fetched.
    public let ended: [File]
    /// Why files wait. Nil when nothing holds them up that is known outside of the program that fetches. A missing folder
    /// comes before an account that must sign in, and that before a paused host.
    public let waitReason: WaitReason?
}

extension DownloadQueue {
    /// Returns a snapshot of the queue without running it.
    ///
    /// - Parameter before: The running tasks of the previous snapshot. Those that have ended since are in
    ///   ``QueueSnapshot/ended``.
    /// - Returns: The snapshot.
    /// - Throws: A `LatchError` with a `storage` code.
    public func snapshot(since before: [QueueSnapshot.File] = []) async throws -> QueueSnapshot {
        let rows = try await LatchError.converting {
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
        let counts = try await store.counts()
        counter.update(counts)
        let kept = try await keptBytes(except: Set(running.map(\.position)))
        let overall = counter.overall(
            received: running.reduce(0) { $0 + $1.received }, kept: kept, gained: nil, now: .now)
        return QueueSnapshot(
            overall: overall, paused: counts.first { $0.state == DownloadState.paused.word }?.count ?? 0,
            running: running, ended: files.filter { $0.state != .running },
            waitReason: try await waitReason())
    }

    /// Returns why the disk holds up all files. Either their folder is missing, or a program fetches but transfers no
    /// file because there is no free space. Nil otherwise. A complete part of a live photo, which waits for the other
    /// one, does not count as a transfer.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func diskProblem() async throws -> WaitReason? {
        do {
            try await folder.check()
        } catch let error as LatchError where error.code == .folderGone {
            return PauseReason.disk(.folder).waitReason(folder: folder.path, database: "")
        }
        guard try isRunningSomewhere(),
            try await store.counts().contains(where: { $0.state == "waiting" && $0.count > 0 }),
            try await store.read({ try $0.first(Self.selectTransferred) }) == nil
        else { return nil }
        let database = store.database.path ?? ""
        let places: [(PauseReason, String)] = [
            (.disk(.files), folder.partsPath),
            (.disk(.queue), URL(fileURLWithPath: database).deletingLastPathComponent().path),
        ]
        return places.first { DownloadPart.freeBytes(in: $0.1).map { $0 <= DiskSpace.minimumFreeBytes } ?? false }?.0
            .waitReason(folder: folder.path, database: database)
    }

    private func waitReason() async throws -> WaitReason? {
        if let problem = try await diskProblem() { return problem }
        guard let account = try await heldAccounts().first else {
            return try await store.pauses(after: context.now()).first.map { WaitReason($0) }
        }
        return WaitReason(account)
    }

    /// Returns the hosts whose files wait for a time, with the reasons.
    public func pauses() async throws -> [HostPause] { try await store.pauses(after: context.now()) }

    /// Returns the accounts that have tasks in any state.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    package func accounts() async throws -> [Account] {
        let ids = Set(try await store.read { try $0.all(Self.selectAccounts) })
        return try await latch.accounts.accounts().filter { ids.contains($0.id) }
    }

    /// Whether unfinished files belong to an account that must sign in or change its password.
    ///
    /// - Throws: A `LatchError` with a `storage` code.
    public func isSignInAwaited() async throws -> Bool { try await !heldAccounts().isEmpty }

    private func heldAccounts() async throws -> [Account] {
        let open = try await store.openByAccount()
        return try await latch.accounts.accounts().filter {
            open[$0.id] != nil && (!$0.isSignedIn || $0.mustChangePassword)
        }
    }

    /// Whether a program holds the lock for fetching. Other programs also hold it for short moments.
    public nonisolated func isRunningSomewhere() throws -> Bool {
        guard let lock = try latch.accounts.lockDownloadsIfFree() else { return true }
        lock.release()
        return false
    }

    /// Whether another program is fetching. Waits up to about a second, so that a program that is about to end does not
    /// count.
    ///
    /// - Throws: A `LatchError` with a `storage` code; `CancellationError`.
    public nonisolated func isFetchedElsewhere() async throws -> Bool {
        do {
            try await latch.accounts.lockDownloads().release()
            return false
        } catch let error as LatchError where error.code == .storageLocked {
            return true
        }
    }

    /// Returns the wanted file name of a task, or nil when there is no such task.
    public func filename(of id: String) async throws -> String? {
        try await LatchError.converting { try await store.database.read { try $0.first(Self.selectFilename, id) } }
    }

    private func file(_ row: SnapshotRow) -> QueueSnapshot.File {
        var received = 0
        if row.state == .running {
            let part = folder.partsPath + "/" + PartName(owner: row.partOwner).of(row.account, row.taskID)
            received = DownloadPart.size(of: part) ?? 0
        }
        return QueueSnapshot.File(
            position: row.position, taskID: row.taskID, account: row.account, filename: row.filename, state: row.state,
            received: received,
            total: row.size, path: row.path)
    }

    private static let columns = """
        position, account, id, filename, state, reason, size, path, \(DownloadStore.partOwner)
        """

    private static let selectRunning = Statement(
        "SELECT \(columns) FROM downloads WHERE state = 'running' ORDER BY position", row: snapshotRow)

    private static let selectTransferred = Statement(
        "SELECT 1 FROM downloads WHERE state = 'running' AND is_whole = 0 LIMIT 1"
    ) { row throws(DatabaseError) in try row.get(0) as Int }

    private static let selectAccounts = Statement(
        "SELECT DISTINCT account FROM download_counts WHERE count > 0"
    ) { row throws(DatabaseError) in try row.get(0) as UUID }

    private static let selectPosition = Statement(
        "SELECT \(columns) FROM downloads WHERE position = ?", Int.self, row: snapshotRow)

    private static let selectFilename = Statement(
        "SELECT filename FROM downloads WHERE account IN (SELECT id FROM accounts) AND id = ?", String.self
    ) { row throws(DatabaseError) in try row.get(0) as String }

    private static let snapshotRow: @Sendable (SQLRow) throws(DatabaseError) -> SnapshotRow = {
        row throws(DatabaseError) in
        SnapshotRow(
            position: try row.get(0), account: try row.get(1), taskID: try row.get(2), filename: try row.get(3),
            state: DownloadState(word: try row.get(4), reason: try row.get(5)), size: try row.get(6),
            path: try row.get(7), partOwner: try row.get(8))
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
    var partOwner: String
}
