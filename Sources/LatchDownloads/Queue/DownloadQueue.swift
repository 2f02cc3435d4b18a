import Crypto
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
/// let queue = try DownloadQueue(latch, library: FolderLibrary(folder: "/home/ada/Downloads"))
/// try await queue.add([task])
/// try await queue.run()
/// ```
///
/// Source: DL-1, DL-2, DL-8 to DL-17.
public actor DownloadQueue {
    let latch: LatchClient
    let store: DownloadStore
    nonisolated let partName: PartName
    let library: any DownloadLibrary
    let settings: DownloadSettings
    let now: @Sendable () -> Date
    let hook: DownloadHook
    nonisolated let broadcast: EventBroadcast
    nonisolated let wakes: AsyncSignal

    var schedule: DownloadSchedule
    var running: [Int: RunningFetch] = [:]
    /// The tasks whose files are being moved to their destinations, with the lengths of their parts in bytes.
    var placing: [Int: (row: QueuedTask, bytes: Int)] = [:]
    /// The files that are being fetched or moved to their destinations.
    var activeFiles: Set<QueuedTask.Key> = []
    var ready: [ReadyFile] = []
    var readyBytes = 0
    /// Signals the placer not to wait for more files.
    nonisolated let batchIsReady = AsyncSignal()
    var placer: Task<Void, Never>?
    var pairPlacers: [Int: Task<Void, Never>] = [:]
    /// The live photos that are being moved to their destinations.
    var pairs: Set<String> = []
    /// The earliest time at which a task that waits for a time is tried again. Nil when no task waits for a time.
    var nextTime: Date?
    /// The error that prevents writes to the database, if any.
    var databaseError: (any Error)?
    var holds: Set<PauseReason> = []
    /// Resume points that could not be recorded because the database was full.
    var unrecordedResumePoints: [Int: ResumePoint] = [:]
    /// How many times a disk was full since the last completed file, and when free space is checked again.
    var fullTimes = 0
    var nextSpaceCheck = Date.distantPast
    /// The hosts that currently get no requests.
    var outages = HostOutages()
    /// The hosts that respond again, but whose stored pauses are not removed yet.
    var answeringHosts: Set<String> = []
    /// The time of the wall clock when it was last read.
    var clock: Date?
    /// Finds out which servers are in maintenance.
    let maintenance = MaintenanceCheck()
    /// The accounts with unfinished tasks, and those that were removed meanwhile.
    var waitingAccounts: [UUID: WaitingAccount] = [:]
    var lostAccounts: [WaitingAccount] = []
    /// The sessions of the accounts in this run.
    var sessions: [UUID: Session] = [:]
    /// The executors of the accounts' transfers. The work between transfers runs on them too.
    var executors: [UUID: any TaskExecutor] = [:]
    /// The ids of tasks that were read and whose files do not exist here.
    var absent: Set<DownloadTask.ID> = []
    /// The tasks that had to wait for another task with the same file, by position. Whether their file exists is
    /// checked again.
    var contended: [Int: QueuedTask.Key] = [:]
    /// Whether tasks may be started.
    var isWorking = false
    /// Whether the queue is stopping its transfers and the moves of complete files.
    var isStopping = false
    /// Whether a command of this program has changed the queue since it was last read.
    var isCommanded = false
    /// The accounts whose tasks are being paused.
    var pausing: Set<UUID> = []
    var tally = ProgressCounter()

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
        self.latch = latch
        self.library = library
        self.settings = settings
        self.now = now
        self.hook = hook
        let wakes = AsyncSignal()
        self.wakes = wakes
        broadcast = EventBroadcast { wakes.wake() }
        store = DownloadStore(database: latch.accounts.database)
        partName = PartName(owner: latch.accounts.downloadOwner)
        schedule = DownloadSchedule(settings)
    }

    /// A stream of all events from now on, for one listener. Every listener gets all events.
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
        broadcast.stream(losesNothing: true, wants)
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
    public func add(_ tasks: [DownloadTask], goingTo place: LibraryPlace? = nil) async throws -> Int {
        let hosts = try await hosts(tasks)
        let added = try await store.add(sealed(tasks), hosts: hosts, goingTo: place)
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
        for index in tasks.indices where SealedQuery.cut(tasks[index].url) != nil {
            let account = tasks[index].account
            if keys[account] == nil { keys[account] = try await latch.accounts.downloadKey(of: account) }
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

    /// Returns the number of an account's unfinished tasks, which a sign-out would remove from the queue.
    ///
    /// The cost is one short read, regardless of the number of tasks.
    ///
    /// - Parameter account: The account's id. An unknown account has no tasks.
    /// - Returns: The number of tasks that wait, run or are paused.
    /// - Throws: A `LatchError` with a `storage` code.
    public func openTasks(of account: UUID) async throws -> Int { try await store.open(of: account) }

    func commanded() {
        isCommanded = true
        wakes.wake()
    }

    /// Returns the progress of all tasks together.
    public func progress() async throws -> OverallProgress {
        tally.take(try await store.counts())
        let received =
            running.values.reduce(0) { $0 + $1.progress.received } + placing.values.reduce(0) { $0 + $1.bytes }
        let gained = running.values.reduce(0) { $0 + max(0, $1.gained) }
        return tally.overall(received: received, gained: gained, now: .now)
    }

    /// Holds up all tasks for an outside reason, for example a missing network. Nil ends the hold.
    ///
    /// Running transfers stop and keep what they have received. The interruption does not count as an attempt.
    public func hold(_ reason: String?) {
        for case .outside(let old) in holds { holds.remove(.outside(old)) }
        if let reason {
            holds.insert(.outside(reason))
            for fetch in running.values { fetch.stop() }
        } else {
            outages.tryNow()
        }
        tellHolds()
        wakes.wake()
    }

    /// Creates the folder for the files, so that a problem with it is reported before files wait for it.
    ///
    /// - Parameter isNew: Whether to create the folder even if it was created before and is missing now. Default:
    ///   false.
    /// - Throws: `LatchError.Code.fileFailed` with the obstacle; `LatchError.Code.folderGone` when the folder was
    ///   created before and is missing now; a `LatchError` with a `storage` code.
    ///
    /// Source: DL-13.
    public nonisolated func prepareFolder(isNew: Bool = false) async throws {
        if !isNew { try await checkFolder() }
        try FolderLibrary.make(partsFolder, in: library.folder)
        for folder in [library.folder, partsFolder] {
            try FolderLibrary.check(folder)
            // Also for an existing folder, because its creator may have been stopped before this step.
            DownloadPart.keepNames(beside: folder)
        }
        try await LibraryPlaces(latch).recordCreation(library.folder)
    }

    /// Throws when the folder was created before and is missing now. It may be on a drive that is not mounted. All
    /// files would then be fetched again, to the disk below the mount point.
    nonisolated func checkFolder() async throws {
        guard !Self.isThere(partsFolder), try await LibraryPlaces(latch).wasCreated(library.folder),
            try await !LibraryIndex(database: store.database, folder: library.folder).hasFiles()
        else { return }
        throw LatchError(.folderGone, goneSentence)
    }

    private nonisolated var goneSentence: String {
        let names = try? FileManager.default.contentsOfDirectory(atPath: library.folder)
        let state =
            switch names {
            case nil: "is missing"
            case []?: "is empty now"
            case _?: "has none of those files now"
            }
        return
            "Files were saved to the folder '\(library.folder)' before, but it \(state). Mount its drive if it is on "
            + "one. Or choose another folder: --to FOLDER. Or \(names == nil ? "create it again" : "use it as it is"): "
            + "give the same command with --make-folder."
    }

    /// The hidden folder of the parts.
    nonisolated var partsFolder: String { library.folder + "/.latchstring" }
}

/// Hooks for tests: steps after which a test can stop the queue as a crash would, and a replacement for random numbers.
struct DownloadHook: Sendable {
    enum Step: Sendable, CaseIterable { case started, fetched, wholeNoted, placed, halfNoted, joined, firstPlaced }

    var after: @Sendable (Step) async throws -> Void = { _ in }
    /// Called when nothing is left to fetch and the lock is still held.
    var beforeRelease: @Sendable () async -> Void = {}
    /// Called after the lock was released, and before the queue checks for tasks that other programs left to it.
    var afterRelease: @Sendable () async -> Void = {}
    /// Returns a number from 0 to 1 for each delay.
    var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
}
