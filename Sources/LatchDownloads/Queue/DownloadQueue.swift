public import FoundationEssentials
import HTTPClient
public import LatchKit

/// A durable download queue. It fetches several files at once, each completely or not at all, and resumes after a
/// crash.
///
/// The queue is stored in the accounts database. Any program may add tasks to it, read it and send commands to it, but
/// only one fetches at a time. A program that is killed leaves only partial files, and the next one resumes them.
///
/// ```swift
/// let queue = DownloadQueue(latch, library: FolderLibrary(folder: folder))
/// try await queue.add([task])
/// try await queue.run()
/// ```
///
/// Source: DL-1, DL-2, DL-8 to DL-17.
public actor DownloadQueue {
    nonisolated let context: DownloadContext
    nonisolated let fetcher: FileFetcher
    nonisolated let placer: FilePlacer
    /// Wakes the loop of a run.
    nonisolated let wakes: AsyncSignal
    /// Decides what happens. This actor performs its actions.
    var machine: DownloadStateMachine
    /// The fetches of the state machine's running tasks, by position.
    var running: [Int: RunningFetch] = [:]
    /// The newest batch of files that are being moved to their destinations. It ends after all others.
    var newestBatch: Task<Void, Never>?
    /// The moves of live photos, by the position of one of their tasks.
    var pairPlacements: [Int: Task<Void, Never>] = [:]
    var counter = ProgressCounter()
    /// The group whose tasks the current run fetches. Nil for all groups.
    var group: DownloadGroup?

    /// Creates a queue on the accounts of a client.
    ///
    /// - Parameters:
    ///   - latch: The client whose accounts' servers have the files.
    ///   - library: Where the files are put, and under which names.
    ///   - settings: The limits, retries and timeouts.
    ///   - now: Returns the time of the wall clock.
    public init(
        _ latch: LatchClient, library: any DownloadLibrary, settings: DownloadSettings = .init(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(latch, library: library, settings: settings, now: now, hook: DownloadHook())
    }

    init(
        _ latch: LatchClient, library: any DownloadLibrary, settings: DownloadSettings,
        now: @escaping @Sendable () -> Date, hook: DownloadHook
    ) {
        let wakes = AsyncSignal()
        let store = DownloadStore(database: DownloadDatabase(latch))
        context = DownloadContext(
            latch: latch, store: store, library: library,
            folder: DownloadFolder(path: library.folder, latch: latch, store: store),
            settings: settings, now: now, hook: hook, broadcast: EventBroadcast { wakes.wake() })
        self.wakes = wakes
        fetcher = FileFetcher(context)
        placer = FilePlacer(context)
        machine = DownloadStateMachine(settings)
    }

    nonisolated var latch: LatchClient { context.latch }
    nonisolated var store: DownloadStore { context.store }
    nonisolated var folder: DownloadFolder { context.folder }
    nonisolated var broadcast: EventBroadcast { context.broadcast }

    /// A stream of all events from now on, for one listener. Every listener gets all events. It ends when the queue is
    /// released.
    ///
    /// A listener that is more than a few thousand events behind loses the oldest. The next `overall` event is correct
    /// again.
    public nonisolated var events: AsyncStream<DownloadEvent> { broadcast.stream() }

    /// Returns a stream of the events that `wants` accepts. The listener is not woken for other events.
    public nonisolated func events(_ wants: @escaping @Sendable (DownloadEvent) -> Bool) -> AsyncStream<DownloadEvent> {
        broadcast.stream(wants)
    }

    /// Returns a stream of the events that `wants` accepts, which loses no event except progress. While its listener is
    /// a few thousand events behind, no further file is started.
    public nonisolated func everyEvent(
        _ wants: @escaping @Sendable (DownloadEvent) -> Bool
    ) -> AsyncStream<DownloadEvent> {
        broadcast.stream(isLossless: true, wants)
    }

    /// Ends the streams of all listeners after the events that they still hold.
    public nonisolated func endEvents() { broadcast.finish() }

    /// Adds tasks to the queue.
    ///
    /// A task that has ended and is added again starts from the beginning, and is skipped when its file exists. An
    /// unfinished task stays as it is.
    ///
    /// - Parameters:
    ///   - tasks: The tasks to add.
    ///   - place: The place that the tasks were chosen for, stored as the last one in the same transaction. Nil keeps
    ///     the last one.
    /// - Returns: The number of tasks that were added or started again.
    /// - Throws: `LatchError.Code.noAccount` when a task's account does not exist; `LatchError.Code.invalidRequest`
    ///   when files wait for another folder than that of the place; a `LatchError` with a `storage` code.
    @discardableResult
    public func add(_ tasks: [DownloadTask], goingTo place: LibraryLocation? = nil) async throws -> Int {
        try await add(tasks, goingTo: place, from: nil)
    }

    /// Adds tasks as ``add(_:goingTo:)`` does, if a library is followed at the time of the change.
    func add(
        _ tasks: [DownloadTask], goingTo place: LibraryLocation?, from followed: FollowedLibrary?
    ) async throws -> Int {
        let hosts = try await hosts(tasks)
        let added = try await store.add(sealed(tasks), hosts: hosts, goingTo: place, from: followed)
        commanded()
        return added
    }

    /// Adds tasks from a sequence, a batch at a time, so that the memory use does not depend on their number.
    ///
    /// - Returns: The number of tasks that were added or started again.
    /// - Throws: The errors of ``add(_:goingTo:)``, and those of the sequence. Tasks that were added before stay in the
    ///   queue.
    @discardableResult
    public func add<Tasks: AsyncSequence & Sendable>(_ tasks: Tasks) async throws -> Int
    where Tasks.Element == DownloadTask {
        var (added, part): (Int, [DownloadTask]) = (0, [])
        for try await task in tasks {
            part.append(task)
            guard part.count >= DownloadStore.partSize else { continue }
            added += try await add(part)
            part.removeAll(keepingCapacity: true)
        }
        return try await added + add(part)
    }

    private func sealed(_ tasks: [DownloadTask]) async throws -> [DownloadTask] {
        var (tasks, keys): ([DownloadTask], [UUID: Secret]) = (tasks, [:])
        for index in tasks.indices where SealedQuery.splitQuery(tasks[index].url) != nil {
            let account = tasks[index].account
            if keys[account] == nil { keys[account] = try await latch.accounts.sealingKey(of: account) }
            if let key = keys[account] { tasks[index] = try SealedQuery.seal(tasks[index], key) }
        }
        return tasks
    }

    private func hosts(_ tasks: [DownloadTask]) async throws -> [UUID: String] {
        var hosts: [UUID: String] = [:]
        for account in try await latch.accounts.accounts() { hosts[account.id] = account.serverURL.authority }
        guard tasks.allSatisfy({ hosts[$0.account] != nil }) else {
            throw LatchError(
                .noAccount, "The account of a download no longer exists. Sign in again, then select the files again.")
        }
        return hosts
    }

    /// Returns the tasks of the queue in its order, one page at a time.
    ///
    /// - Parameters:
    ///   - position: The position after which the page begins; 0 for the first page.
    ///   - limit: The maximum number of tasks.
    /// - Returns: The tasks; empty when there are no more.
    /// - Throws: A `LatchError` with a `storage` code.
    public func tasks(after position: Int = 0, limit: Int = 500) async throws -> [QueuedTask] {
        try await store.page(after: position, limit: limit)
    }

    /// Returns the tasks of the queue in one state, in its order, one page at a time.
    ///
    /// Failed, skipped and paused tasks are found at once. In other states, one call looks at no more than a certain number of tasks, so that
    /// its cost does not depend on the length of the queue.
    ///
    /// - Parameters:
    ///   - state: The state.
    ///   - position: The position after which the page begins; 0 for the first page.
    ///   - limit: The maximum number of tasks.
    /// - Returns: The tasks, which may be none or fewer than `limit`, and the position after which to continue. That is
    ///   nil when there are no more tasks.
    /// - Throws: A `LatchError` with a `storage` code.
    package func tasks(
        in state: DownloadState, after position: Int = 0, limit: Int = 500
    ) async throws -> (tasks: [QueuedTask], next: Int?) {
        try await store.page(in: state, after: position, limit: limit)
    }

    /// Returns the number of an account's unfinished tasks, which a sign-out would remove from the queue.
    ///
    /// The cost is one short read, regardless of the number of tasks.
    ///
    /// - Parameter account: The account's id. An unknown account has no tasks.
    /// - Returns: The number of tasks that wait, run or are paused.
    /// - Throws: A `LatchError` with a `storage` code.
    public func openTasks(of account: UUID) async throws -> Int { try await store.open(of: account) }

    /// Has the loop of this program read the queue again, after a command.
    func commanded() {
        machine.commandGiven()
        wakes.wake()
    }

    /// Returns the progress of all tasks together.
    public func progress() async throws -> OverallProgress {
        counter.update(try await store.counts())
        let received =
            running.values.reduce(0) { $0 + $1.progress.received }
            + machine.placing.values.reduce(0) { $0 + $1.bytes }
        // Negative when a transfer started over, and its part had more bytes before.
        let gained = running.values.reduce(0) { $0 + max(0, $1.gained) }
        let kept = try await keptBytes(except: Set(running.keys).union(machine.placing.keys))
        return counter.overall(received: received, kept: kept, gained: gained, now: .now)
    }

    /// Pauses all tasks for an external reason, such as a missing network. Nil resumes them.
    ///
    /// Running transfers stop and keep what they have received. The interruption does not count as an attempt.
    public func pauseAll(reason: WaitReason?) { perform(machine.pauseFromOutside(reason)) }

    /// Creates the folder for the files, so that a problem with it is reported before files wait for it.
    ///
    /// - Parameter isNew: Whether to create the folder even if it was created before and is missing now. Default:
    ///   false.
    /// - Throws: `LatchError.Code.fileFailed` with the obstacle; `LatchError.Code.folderGone` when the folder was
    ///   created before and is missing now; a `LatchError` with a `storage` code.
    ///
    /// Source: DL-13.
    public nonisolated func prepareFolder(isNew: Bool = false) async throws {
        try await folder.prepare(isNew: isNew)
    }
}
