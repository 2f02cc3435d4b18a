import Crypto
public import FoundationEssentials
import HTTPClient
public import LatchKit

/// Fetches files, many at once and each whole or not at all, and knows after every kind of end where it was.
///
/// The queue lives in the accounts database: any program may add to it, look at it and command it; one fetches at a
/// time. A program that is killed leaves nothing but parts that the next one goes on with.
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
    /// What is being put in its place, and how many bytes that is.
    var placing: [Int: (row: QueuedTask, bytes: Int)] = [:]
    /// What runs or is put in its place.
    var underWay: Set<QueuedTask.Key> = []
    var ready: [ReadyFile] = []
    var readyBytes = 0
    /// Tells the placer that it need not wait for more.
    nonisolated let batchIsReady = AsyncSignal()
    var placer: Task<Void, Never>?
    var pairPlacers: [Int: Task<Void, Never>] = [:]
    /// The live photos that are being put in their places.
    var pairs: Set<String> = []
    /// When the next task's time comes again.
    var nextTime: Date?
    /// Why the queue's file cannot be written, if so.
    var broken: (any Error)?
    var holds: Set<PauseReason> = []
    /// What parts hold that could not be noted, for the queue's file was full.
    var unnoted: [Int: ResumePoint] = [:]
    /// How often a disk was full since a file came home, and when it is looked at again.
    var fullTimes = 0
    var roomTime = Date.distantPast
    /// The hosts that nothing is asked of now.
    var outages = HostOutages()
    /// The hosts that answer again and whose stored pauses are not removed yet.
    var answeringHosts: Set<String> = []
    /// The time of the wall clock when it was last read.
    var clock: Date?
    /// Which servers are in maintenance.
    let maintenance = MaintenanceInquiry()
    /// The accounts of which files wait, and those that went meanwhile.
    var waitingAccounts: [UUID: WaitingAccount] = [:]
    var lostAccounts: [WaitingAccount] = []
    /// The sessions of the accounts, in this run.
    var sessions: [UUID: Session] = [:]
    /// The threads of the accounts' transfers, on which the work between them is done.
    var executors: [UUID: any TaskExecutor] = [:]
    /// Tasks that were read and whose files are not here, by their ids.
    var absent: Set<DownloadTask.ID> = []
    /// The tasks that had to wait for another task of the same file, by their positions: whether it exists here is checked again.
    var contended: [Int: QueuedTask.Key] = [:]
    /// Whether tasks are started.
    var isWorking = false
    /// Whether the queue is stopping its transfers and the placing of files.
    var isStopping = false
    /// Whether this program has changed the queue by a command since it was last looked at.
    var isCommanded = false
    /// The accounts whose tasks are being paused.
    var pausing: Set<UUID> = []
    var tally = ProgressCounter()

    /// Makes a queue on a client's accounts.
    ///
    /// - Parameters:
    ///   - latch: The accounts whose servers the files are on.
    ///   - library: Where the files are brought to.
    ///   - settings: How much at once, and how hard.
    ///   - now: The wall clock.
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

    /// What happens from now on, for one listener; all of it, also what other listeners get.
    ///
    /// A listener that falls more than some thousand events behind loses the oldest: the next `overall` is right again.
    public nonisolated var events: AsyncStream<DownloadEvent> { broadcast.stream() }

    /// The same for a listener that wants only some of it, and is not woken for the rest.
    public nonisolated func events(_ wants: @escaping @Sendable (DownloadEvent) -> Bool) -> AsyncStream<DownloadEvent> {
        broadcast.stream(wants)
    }

    /// The events for a listener that must get all of them except progress. While it is some thousand events behind, no further
    /// file is started.
    public nonisolated func everyEvent(
        _ wants: @escaping @Sendable (DownloadEvent) -> Bool
    ) -> AsyncStream<DownloadEvent> {
        broadcast.stream(losesNothing: true, wants)
    }

    /// Ends the streams of ``events``, each after what it holds.
    public nonisolated func endEvents() { broadcast.finish() }

    /// Puts tasks into the queue.
    ///
    /// A task that is in it and over is begun anew, and skipped when its file is there; one that is open stays as it
    /// is.
    ///
    /// - Parameters:
    ///   - tasks: The tasks.
    ///   - place: The place that they are chosen for, remembered in the same commit; nil leaves the last one.
    /// - Returns: How many will be fetched that were not in it before.
    /// - Throws: ``LatchError/Code/noAccount`` when an account is not here; ``LatchError/Code/invalidRequest`` when
    ///   files wait for another folder than the place's; the codes of the storage.
    @discardableResult
    public func add(_ tasks: [DownloadTask], goingTo place: LibraryPlace? = nil) async throws -> Int {
        let hosts = try await hosts(tasks)
        let added = try await store.add(sealed(tasks), hosts: hosts, goingTo: place)
        commanded()
        return added
    }

    /// Puts tasks into the queue as they come, a part of them at a time: any number needs no more memory.
    ///
    /// - Returns: How many will be fetched that were not in it before.
    /// - Throws: As for an array, and what the sequence throws; what was put in until then stays.
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
            throw LatchError(.noAccount, "A download's account is not here any more. Sign in again, then choose again.")
        }
        return hosts
    }

    /// The queue's tasks in its order, some at a time.
    ///
    /// - Parameters:
    ///   - position: Behind which place; 0 for the first.
    ///   - limit: How many at most.
    /// - Returns: The tasks; none when there are no more.
    /// - Throws: The codes of the storage.
    public func tasks(after position: Int = 0, limit: Int = 500) async throws -> [QueuedTask] {
        try await store.page(after: position, limit: limit)
    }

    /// How many of an account's tasks are not over: what a sign-out of it would take out of the queue.
    ///
    /// It costs one short read, however many there are.
    ///
    /// - Parameter account: The account's id; one that is not here has none.
    /// - Returns: Those that wait, run or are paused.
    /// - Throws: The codes of the storage.
    public func openTasks(of account: UUID) async throws -> Int { try await store.open(of: account) }

    func commanded() {
        isCommanded = true
        wakes.wake()
    }

    /// How far all tasks have come.
    public func progress() async throws -> OverallProgress {
        tally.take(try await store.counts())
        let received =
            running.values.reduce(0) { $0 + $1.progress.received } + placing.values.reduce(0) { $0 + $1.bytes }
        let gained = running.values.reduce(0) { $0 + max(0, $1.gained) }
        return tally.overall(received: received, gained: gained, now: .now)
    }

    /// Holds everything up from outside, as while there is no network; nil lets it go on.
    ///
    /// What runs is stopped and keeps what it has; nothing counts as tried.
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

    /// Makes the folder that the files go to, so that a wrong one is told before anything waits for it.
    ///
    /// - Parameter isNew: Whether to create the folder even if files were brought to it before and it is missing now.
    /// - Throws: ``LatchError/Code/fileFailed`` with what stands in the way; ``LatchError/Code/folderGone``; the codes of the
    ///   storage.
    ///
    /// Source: DL-13.
    public nonisolated func prepareFolder(isNew: Bool = false) async throws {
        if !isNew { try await checkFolder() }
        try FolderLibrary.make(partsFolder, in: library.folder)
        for folder in [library.folder, partsFolder] {
            try FolderLibrary.check(folder)
            // Also where whoever made it was stopped before that.
            DownloadPart.keepNames(beside: folder)
        }
        try await LibraryPlaces(latch).noteMade(library.folder)
    }

    /// Throws when the folder was created before and is missing now. It may be on a drive that is not mounted; then everything
    /// would be fetched again, to the disk below the mount point.
    nonisolated func checkFolder() async throws {
        guard !Self.isThere(partsFolder), try await LibraryPlaces(latch).isMade(library.folder),
            try await !LibraryIndex(database: store.database, folder: library.folder).hasFiles()
        else { return }
        throw LatchError(.folderGone, goneSentence)
    }

    private nonisolated var goneSentence: String {
        let names = try? FileManager.default.contentsOfDirectory(atPath: library.folder)
        let state =
            switch names {
            case nil: "is gone"
            case []?: "is empty now"
            case _?: "has none of those files now"
            }
        return
            "Files were brought to the folder '\(library.folder)' before, but it \(state). Mount its drive, if it is on one; "
            + "or choose another folder: --to FOLDER; or \(names == nil ? "create it again" : "use it as it is"): give the same "
            + "command with --make-folder."
    }

    /// The folder of the parts.
    nonisolated var partsFolder: String { library.folder + "/.latchstring" }
}

/// Steps after which a test may stop the queue, as a crash would; and what is left to chance elsewhere.
struct DownloadHook: Sendable {
    enum Step: Sendable, CaseIterable { case started, fetched, wholeNoted, placed, halfNoted, joined, firstPlaced }

    var after: @Sendable (Step) async throws -> Void = { _ in }
    /// What happens when all is fetched and other programs still see that somebody fetches.
    var beforeRelease: @Sendable () async -> Void = {}
    /// What happens when others see that nobody fetches, and before it is looked whether something was left to this
    /// program.
    var afterRelease: @Sendable () async -> Void = {}
    /// A number from 0 to 1 for each pause.
    var chance: @Sendable () -> Double = { Double.random(in: 0..<1) }
}
