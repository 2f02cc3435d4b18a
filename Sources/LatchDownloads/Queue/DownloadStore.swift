import Database
import FoundationEssentials
import HTTPClient
import LatchKit
import Wire

/// The queue's rows in the accounts database.
///
/// A crash keeps every change that was answered; changes that are made at once share one commit. What people command,
/// and where a file will be, is on the disk before it is answered. Of all else a loss of power may take the last: it is
/// done again then.
struct DownloadStore: Sendable {
    let database: Database

    /// Puts tasks into the queue. One that is there and over is begun anew; one that is there and open stays as it is.
    ///
    /// - Returns: How many are to be fetched that were not before.
    func add(_ tasks: [DownloadTask], hosts: [UUID: String], goingTo place: LibraryPlace? = nil) async throws -> Int {
        var added = 0
        for start in stride(from: 0, to: tasks.count, by: Self.partSize) {
            let part = tasks[start..<min(start + Self.partSize, tasks.count)]
            added += try await command { connection in
                if let place { try LibraryPlaces.remember(place, connection) }
                return try part.reduce(0) { added, task in
                    try added
                        + connection.run(
                            Self.insert, task.id, task.account, hosts[task.account] ?? "", task.group.rawValue,
                            task.url, task.headers.isEmpty ? "{}" : Self.json(task.headers), task.filename,
                            task.wantsProgress,
                            task.metadata == Self.nothingKnown ? Self.noMetadata : Self.json(task.metadata),
                            task.metadata.size, task.metadata.liveID)
                }
            }
        }
        return added
    }

    /// How many tasks are put in with one commit.
    static let partSize = 2_000

    /// The lanes in which something waits.
    func lanes() async throws -> [Lane] { try await read { try $0.all(Self.selectLanes) } }

    /// The next tasks of a lane behind a place in the queue, without those whose time has not come again.
    func waiting(in lane: Lane, after position: Int, now: Date, limit: Int) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectWaiting, lane.host, lane.group.rawValue, position, now, limit) }
    }

    /// When the next task's time comes again; nil when none waits for that.
    func nextTime(after now: Date) async throws -> Date? {
        try await read { try $0.first(Self.selectTime, now) } ?? nil
    }

    /// One task; nil when it was removed.
    func task(_ position: Int) async throws -> QueuedTask? {
        try await read { try $0.first(Self.selectOne, position) }
    }

    /// The tasks with an id, of an account or every one.
    func tasks(_ id: String, of account: UUID?) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectNamed, id, id, account) }
    }

    /// The tasks whose address has a query behind a path, of an account or every one.
    func tasks(at url: String, of account: UUID?) async throws -> [QueuedTask] {
        // What is behind the mask are digits.
        try await read { try $0.all(Self.selectNamed, url + SealedQuery.mask, url + SealedQuery.mask + "~", account) }
    }

    /// The other part of a live photo.
    func partner(of row: QueuedTask) async throws -> QueuedTask? {
        guard let live = row.task.metadata.liveID else { return nil }
        return try await read { try $0.first(Self.selectPartner, row.task.account, live, row.position) }
    }

    /// Accounts and ids of tasks that are not over and may have a part, behind a place in the queue.
    func open(after position: Int, limit: Int) async throws -> [(position: Int, account: UUID, id: String)] {
        try await read { try $0.all(Self.selectOpen, position, limit) }
    }

    /// The tasks that are whole and not over, and whose files' places are noted.
    func unplaced() async throws -> [QueuedTask] { try await read { try $0.all(Self.selectUnplaced) } }

    /// Tasks behind a place in the queue, in its order.
    func page(after position: Int, limit: Int) async throws -> [QueuedTask] {
        try await read { try $0.all(Self.selectPage, position, limit) }
    }

    /// How many tasks of an account are not over.
    func open(of account: UUID) async throws -> Int {
        try await read { try $0.first(Self.selectOpenCount, account) } ?? 0
    }

    /// How many tasks of a host wait or run.
    func unfinished(at host: String) async throws -> Int {
        try await read { try $0.first(Self.selectUnfinished, host) } ?? 0
    }

    /// How many tasks of each account are not over, where any are.
    func openByAccount() async throws -> [UUID: Int] {
        let counts = try await read { try $0.all(Self.selectOpenCounts) }
        return Dictionary(counts, uniquingKeysWith: +)
    }

    /// How many tasks stand where, and the sum of the lengths that are known.
    func counts() async throws -> [StateCount] { try await read { try $0.all(Self.selectCounts) } }

    /// Grows with every command of any program.
    func revision() async throws -> Int { try await read { try $0.first(Self.selectRevision) } ?? 0 }

    /// Notes that tasks run and what their parts hold, as far as that is known.
    func note(running tasks: [(position: Int, point: ResumePoint?)]) async throws {
        try await write { connection in
            for task in tasks {
                _ = try connection.run(Self.updateBegun, task.position)
                guard let point = task.point else { continue }
                _ = try connection.run(
                    Self.updateResume, Self.json(point), DownloadQueue.boot, point.total, task.position)
            }
        }
    }

    /// Notes where a task stands that was fetched; false when it was removed, or somebody else has changed it
    /// meanwhile.
    @discardableResult
    func note(_ position: Int, _ state: DownloadState, keepsPart: Bool = true) async throws -> Bool {
        try await write {
            try $0.run(Self.update, state.word, state.reason, nil, nil, keepsPart, position) == 1
        }
    }

    /// Records that a task waits for a time, and why. Returns false when the task was removed or changed meanwhile.
    func note(
        _ position: Int, restsUntil time: Date, because reason: String, attempts: Int, now: Date
    ) async throws -> Bool {
        try await write { connection in
            _ = try connection.run(Self.noteRest, now)
            return try connection.run(
                Self.update, DownloadState.waiting.word, reason, attempts, time, true, position) == 1
        }
    }

    /// Notes what a part holds, so that it can be taken up after a crash.
    func note(_ position: Int, resume: ResumePoint?, boot: String?) async throws {
        try await write { connection in
            _ = try connection.run(Self.updateResume, resume.map(Self.json), boot, resume?.total, position)
        }
    }

    /// Notes that parts are whole and where their files will be, on the disk: a file that is in its place is known from
    /// then on.
    ///
    /// - Returns: Whether all of the tasks were there; where one was not, nothing is noted.
    func note(whole rows: [(position: Int, path: String)]) async throws -> Bool {
        try await write(outlivesPowerLoss: true) { connection in
            for row in rows where try connection.first(Self.selectOne, row.position) == nil { return false }
            for row in rows { _ = try connection.run(Self.updateWhole, row.path, row.position) }
            return true
        }
    }

    /// Notes the same of tasks that have nothing to do with each other.
    ///
    /// - Returns: For each whether it was there.
    func note(wholeEach rows: [(position: Int, path: String)]) async throws -> [Bool] {
        try await write(outlivesPowerLoss: true) { connection in
            try rows.map { try connection.run(Self.updateReady, $0.path, $0.position) == 1 }
        }
    }

    /// Notes that one part of a live photo is whole.
    ///
    /// Of two that become whole at once just one gets to know of the other, whichever commit is the second.
    ///
    /// - Returns: Whether the task is there still, and the other one.
    func note(half row: QueuedTask) async throws -> (isThere: Bool, partner: QueuedTask?) {
        try await write { connection in
            guard try connection.run(Self.updateHalf, row.position) == 1 else { return (false, nil) }
            let live = row.task.metadata.liveID ?? ""
            return (true, try connection.first(Self.selectPartner, row.task.account, live, row.position))
        }
    }

    /// Notes that nothing is there of a file: it begins anew.
    func note(anew position: Int) async throws {
        try await write { _ = try $0.run(Self.updateAnew, position) }
    }

    /// Ends a task that is not over, whatever it does; false when it is.
    func end(_ position: Int, _ state: DownloadState, keepsPart: Bool) async throws -> Bool {
        try await write { try $0.run(Self.updateEnd, state.word, state.reason, keepsPart, position) == 1 }
    }

    /// Lets a task that was to be placed wait again.
    func putBack(_ position: Int) async throws {
        try await write { _ = try $0.run(Self.updateBack, position) }
    }

    /// The whole parts of live photos that wait for their others.
    func halves() async throws -> [QueuedTask] { try await read { try $0.all(Self.selectHalves) } }

    /// Whether something of an account waits.
    func hasWaiting(_ account: UUID) async throws -> Bool {
        try await read { try $0.first(Self.selectWaits, account) } != nil
    }

    /// Notes that files are in their places; with what the library notes of them in the same commit.
    func note(
        done rows: [(position: Int, path: String, size: Int?)], _ more: @escaping @Sendable (Connection) throws -> Void
    ) async throws {
        try await write { connection in
            for row in rows { _ = try connection.run(Self.updateDone, row.path, row.size, row.position) }
            try more(connection)
        }
    }

    /// Takes up what a program that is gone has left running, and removes the pauses that are over.
    func takeUp(now: Date) async throws {
        try await write { connection in
            _ = try connection.run(Self.takeUp)
            _ = try connection.run(Self.removeEndedPauses, now)
        }
    }

    /// Takes up what could not be noted for want of room; something is written at any rate, so that it shows whether
    /// there is.
    func takeUpAgain() async throws { try await command { _ = try $0.run(Self.takeUp) } }

    func read<Value: Sendable>(_ body: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await LatchError.telling { try await database.read(body) }
    }

    @discardableResult
    func write<Value: Sendable>(
        outlivesPowerLoss: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try await LatchError.telling { try await database.write(outlivesPowerLoss: outlivesPowerLoss, body) }
    }

    /// What is kept of a file of which nothing is known.
    static let noMetadata = json(nothingKnown)
    private static let nothingKnown = DownloadMetadata()

    static func json(_ value: some Encodable) -> String { String(decoding: JSON.encode(value), as: UTF8.self) }
}

/// One host's tasks of one group: what takes turns.
struct Lane: Sendable, Hashable {
    var host: String
    var group: DownloadGroup
}

/// How many tasks stand somewhere.
struct StateCount: Sendable, Equatable {
    var state: String
    var count: Int
    var bytes: Int
    /// Of how many the length is known.
    var sized: Int
}
