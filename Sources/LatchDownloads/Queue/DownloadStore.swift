import Database
import Desktop
import FoundationEssentials
import HTTPClient
import HTTPMessages
import LatchKit

/// The queue's rows in the accounts database.
///
/// A crash of the program loses no confirmed change. Changes made at the same time share one commit. Commands, and the
/// destinations of files, are on disk before they are confirmed. A power loss may revert the latest of all other
/// changes, and that work is repeated.
struct DownloadStore: Sendable {
    let database: DownloadDatabase

    /// Adds tasks to the queue. An ended task starts from the beginning; an unfinished task stays as it is.
    ///
    /// - Returns: The number of tasks that were added or started again.
    func add(
        _ tasks: [DownloadTask], hosts: [UUID: String], goingTo place: LibraryLocation? = nil,
        from followed: FollowedLibrary? = nil
    ) async throws -> Int {
        var added = 0
        for start in stride(from: 0, to: tasks.count, by: Self.partSize) {
            let part = tasks[start..<min(start + Self.partSize, tasks.count)]
            added += try await command { connection in
                // In each transaction, because another program may stop following the library, or choose another folder,
                // between two of them.
                if let followed { try FollowedLibraries.check(followed, connection) }
                if let place { try LibraryLocations.remember(place, connection) }
                return try part.reduce(0) { added, task in
                    try added
                        + connection.run(
                            Self.insert, task.id, task.account, hosts[task.account] ?? "", task.group.rawValue,
                            task.url, task.headers.isEmpty ? "{}" : Self.json(task.headers), task.filename,
                            task.reportsProgress,
                            task.metadata == Self.nothingKnown ? Self.noMetadata : Self.json(task.metadata),
                            task.metadata.size, task.metadata.liveID)
                }
            }
        }
        return added
    }

    /// How many tasks are added in one transaction.
    static let partSize = 2_000

    /// Returns the lanes in which tasks wait.
    func lanes() async throws -> [Lane] { try await read { try $0.all(Self.selectLanes) } }

    /// Returns the next tasks of a lane after a position, without those that still wait for a time.
    func waiting(in lane: Lane, after position: Int, now: Date, limit: Int) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectWaiting, lane.host, lane.group.rawValue, position, now, limit) }
    }

    /// Returns the earliest time that a task waits for. Nil when no task waits for a time.
    func nextTime(after now: Date) async throws -> Date? {
        try await read { try $0.first(Self.selectTime, now) } ?? nil
    }

    /// Returns a task, or nil when it was removed.
    func task(_ position: Int) async throws -> QueuedTask? {
        try await read { try $0.first(Self.selectOne, position) }
    }

    /// Returns the tasks with an id, of one account or of all.
    func tasks(_ id: String, of account: UUID?) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectNamed, id, id, account) }
    }

    /// Returns the tasks whose address has the given path and a query, of one account or of all.
    func tasks(at url: String, of account: UUID?) async throws -> [QueuedTask] {
        // Only digits follow the mask.
        try await read { try $0.all(Self.selectNamed, url + SealedQuery.mask, url + SealedQuery.mask + "~", account) }
    }

    /// Returns the other part of a live photo. Nil for other files.
    func partner(of row: QueuedTask) async throws -> QueuedTask? {
        guard let live = row.task.metadata.liveID else { return nil }
        return try await read { try $0.first(Self.selectPartner, row.task.account, live, row.position) }
    }

    /// Returns the tasks after a position that may have a part.
    func open(after position: Int, limit: Int) async throws -> [PartOwner] {
        try await read { try $0.all(Self.selectOpen, position, limit) }
    }

    /// Returns the names of this queue's parts.
    func partName() async throws -> PartName {
        guard let owner = try await read({ try $0.first(Self.selectPartOwner) }) else {
            throw LatchError(
                .storageFailed, "The accounts database was modified manually: its table download_owner is empty.")
        }
        return PartName(owner: owner)
    }

    /// Returns the unfinished tasks whose parts are complete and whose destinations are recorded.
    func unplaced() async throws -> [QueuedTask] { try await read { try $0.all(Self.selectUnplaced) } }

    /// Returns the tasks after a position, in the order of the queue.
    func page(after position: Int, limit: Int) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectPage, position, limit) }
    }

    /// Returns the tasks in a state after a position, and the position after which to continue.
    func page(in state: DownloadState, after position: Int, limit: Int) async throws -> ([QueuedTask], next: Int?) {
        try await read { connection in
            if let select = Self.selectIndexedPages[state.word] {
                let tasks = try connection.all(select, position, limit)
                return (tasks, tasks.count < limit ? nil : tasks.last?.position)
            }
            guard let last = try connection.first(Self.selectEnd, position + 1, Self.pageScan) ?? nil else {
                return ([], nil)
            }
            let tasks = try connection.all(Self.selectStatePage, position, last, state.word, limit)
            return (tasks, tasks.count == limit ? tasks.last?.position : last)
        }
    }

    /// How many tasks of the queue a page of one state looks at.
    private static let pageScan = 20_000

    /// Returns the number of unfinished tasks of an account.
    func open(of account: UUID) async throws -> Int {
        try await read { try $0.first(Self.selectOpenCount, account) } ?? 0
    }

    /// Returns the number of tasks of a host that wait or run.
    func unfinished(at host: String) async throws -> Int {
        try await read { try $0.first(Self.selectUnfinished, host) } ?? 0
    }

    /// Returns the number of unfinished tasks of each account that has any.
    func openByAccount() async throws -> [UUID: Int] {
        let counts = try await read { try $0.all(Self.selectOpenCounts) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    /// Returns the number of tasks in each state, with the sum of their known lengths.
    func counts() async throws -> [StateCount] { try await read { try $0.all(Self.selectCounts) } }

    /// Returns a number that grows with every command of any program.
    func revision() async throws -> Int { try await read { try $0.first(Self.selectRevision) } ?? 0 }

    /// Records that tasks run, and the resume points that are known.
    func record(running tasks: [(position: Int, point: ResumePoint?)]) async throws {
        try await write { connection in
            for task in tasks {
                _ = try connection.run(Self.updateBegun, task.position)
                guard let point = task.point else { continue }
                _ = try connection.run(
                    Self.updateResume, Self.json(point), SystemBoot.id, point.total, task.position)
            }
        }
    }

    /// Records the state of a task after an attempt. Returns false when the task was removed or changed meanwhile.
    @discardableResult
    func record(_ position: Int, _ state: DownloadState, keepsPart: Bool = true) async throws -> Bool {
        try await write {
            try $0.run(Self.update, state.word, state.reason, nil, nil, keepsPart, position) == 1
        }
    }

    /// Records that a task waits for a time, and why. Returns false when the task was removed or changed meanwhile.
    func record(
        _ position: Int, waitsUntil time: Date, because reason: String, attempts: Int, now: Date
    ) async throws -> Bool {
        try await write { connection in
            _ = try connection.run(Self.recordWait, now)
            return try connection.run(
                Self.update, DownloadState.waiting.word, reason, attempts, time, true, position) == 1
        }
    }

    /// Records what a part holds, so that it can be resumed after a crash.
    func record(_ position: Int, resume: ResumePoint?, boot: String?) async throws {
        try await write { connection in
            _ = try connection.run(Self.updateResume, resume.map(Self.json), boot, resume?.total, position)
        }
    }

    /// Records that parts are complete and where their files will be, and flushes this to disk. From then on, a file at
    /// its destination is recognized.
    ///
    /// - Returns: Whether all tasks exist. When one does not, nothing is recorded.
    func record(whole rows: [(position: Int, path: String)]) async throws -> Bool {
        try await write(outlivesPowerLoss: true) { connection in
            for row in rows where try connection.first(Self.selectOne, row.position) == nil { return false }
            for row in rows { _ = try connection.run(Self.updateWhole, row.path, row.position) }
            return true
        }
    }

    /// Records the same for tasks that are independent of each other.
    ///
    /// - Returns: For each task, whether it exists.
    func recordComplete(_ rows: [(position: Int, path: String)]) async throws -> [Bool] {
        try await write(outlivesPowerLoss: true) { connection in
            try rows.map { try connection.run(Self.updateReady, $0.path, $0.position) == 1 }
        }
    }

    /// Records that one part of a live photo is complete.
    ///
    /// When both parts become complete at the same time, only the later transaction sees the other part as complete.
    ///
    /// - Returns: Whether the task still exists, and the other part.
    func record(half row: QueuedTask) async throws -> (isThere: Bool, partner: QueuedTask?) {
        try await write { connection in
            guard try connection.run(Self.updateHalf, row.position) == 1 else { return (false, nil) }
            let live = row.task.metadata.liveID ?? ""
            return (true, try connection.first(Self.selectPartner, row.task.account, live, row.position))
        }
    }

    /// Records that nothing exists of a file, so that it is fetched from the beginning.
    func recordRestart(_ position: Int) async throws {
        try await write { _ = try $0.run(Self.updateRestart, position) }
    }

    /// Ends an unfinished task, whatever its state. Returns false when it has ended already.
    func end(_ position: Int, _ state: DownloadState, keepsPart: Bool) async throws -> Bool {
        try await write { try $0.run(Self.updateEnd, state.word, state.reason, keepsPart, position) == 1 }
    }

    /// Sets a task whose file was about to be moved back to waiting.
    func putBack(_ position: Int) async throws {
        try await write { _ = try $0.run(Self.updateBack, position) }
    }

    /// Returns the complete parts of live photos that wait for their other parts.
    func halves() async throws -> [QueuedTask] { try await read { try $0.all(Self.selectHalves) } }

    /// Whether an account has waiting tasks.
    func hasWaiting(_ account: UUID) async throws -> Bool {
        try await read { try $0.first(Self.selectWaits, account) } != nil
    }

    /// Records that files are at their destinations. `more` records in the same transaction what the library stores
    /// about one of them.
    ///
    /// - Parameters:
    ///   - rows: The tasks with their files.
    ///   - isPair: Whether they are both parts of a live photo. When one of the tasks was cancelled, the other one is
    ///     removed too.
    ///   - more: Called with the index of each task that is done.
    /// - Returns: For each task, whether it is done. If not, it was cancelled meanwhile.
    /// - Throws: A `LatchError` with a `storage` code; the error of `more`. Nothing is recorded then.
    func record(
        done rows: [(position: Int, path: String, size: Int?)], isPair: Bool,
        _ more: @escaping @Sendable (Int, Connection) throws -> Void
    ) async throws -> [Bool] {
        try await write { connection in
            // Not flushed: after a power loss, the path and the missing part show again that the file was moved.
            var areDone = try rows.map { try connection.run(Self.updateDone, $0.path, $0.size, $0.position) == 1 }
            if isPair, areDone.contains(false) {
                for row in rows { _ = try connection.run(Self.remove, row.position) }
                areDone = areDone.map { _ in false }
            }
            for (index, isDone) in areDone.enumerated() where isDone { try more(index, connection) }
            return areDone
        }
    }

    /// Sets tasks that an ended program left running back to waiting, and removes the pauses that are over.
    func restore(now: Date) async throws {
        try await write { connection in
            _ = try connection.run(Self.restore)
            _ = try connection.run(Self.removeEndedPauses, now)
        }
    }

    /// Sets tasks back to waiting whose end could not be recorded on a full disk. Always writes something, which shows
    /// whether there is free space.
    func restoreRunning() async throws { try await command { _ = try $0.run(Self.restore) } }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await LatchError.converting { try await database.read(body) }
    }

    @discardableResult
    func write<Value: Sendable>(
        outlivesPowerLoss: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await LatchError.converting { try await database.write(outlivesPowerLoss: outlivesPowerLoss, body) }
    }

    /// The stored form of empty metadata.
    static let noMetadata = json(nothingKnown)
    private static let nothingKnown = DownloadMetadata()

    static func json(_ value: some Encodable) -> String { String(decoding: JSON.encode(value), as: UTF8.self) }

    /// Returns the same form of a resume point without an encoder. One is stored with each file whose address a person
    /// gave, and the encoder took 6 % of the time of the thread that writes the database.
    static func json(_ point: ResumePoint) -> String {
        let members: [(String, JSONValue?)] = [
            ("count", .number(JSONNumber(point.count))), ("total", point.total.map { .number(JSONNumber($0)) }),
            ("entityTag", point.entityTag.map { .string($0) }),
            ("lastModified", point.lastModified.map { .string($0) }),
            ("isTimeStrong", .bool(point.isTimeStrong)), ("place", point.place.map { .string($0) }),
        ]
        let value = JSONValue.object(members.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
        return String(decoding: value.encoded(), as: UTF8.self)
    }
}

/// The tasks of one host and one group. Lanes take turns.
struct Lane: Sendable, Hashable {
    var host: String
    var group: DownloadGroup
}

/// The number of tasks in one state.
struct StateCount: Sendable, Equatable {
    var state: String
    var count: Int
    var bytes: Int
    /// The number of tasks whose length is known.
    var sized: Int
}

/// A task that may have a part.
struct PartOwner: Sendable {
    let position: Int
    let account: UUID
    let id: DownloadTask.ID
    let hasFailed: Bool
}
