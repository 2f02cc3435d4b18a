import FoundationEssentials
import HTTPClient
import LatchKit

/// The state machine of a download queue: which tasks start, wait, are moved or end, and why. It uses no tasks, clocks,
/// databases, files or sockets.
///
/// Each method records what happened. Most return what to do next, in this order. The queue does it, and records the
/// result with another method.
///
/// Source: DL-10, DL-13, DL-14.
struct DownloadStateMachine {
    /// What the queue must do at once.
    enum Action {
        /// Start to fetch a task. `isAbsent` says whether its file is known not to exist.
        case start(QueuedTask, isAbsent: Bool)
        /// Stop the transfer of the task with this position, if it runs. It then ends as stopped.
        case stop(Int)
        /// Put the files of ``nextBatch()`` at their destinations.
        case placeBatch
        /// Put the live photo of this part at its destination, if its other part is complete too.
        case placeHalf(ReadyFile)
        /// Report a new reason that pauses tasks.
        case report(PauseReason)
        /// Report the remaining reason that pauses tasks, or that there is none.
        case reportPauses
        /// Wake the loop of the queue, which reads commands and waiting tasks.
        case poll
    }

    enum Phase {
        /// No task may start: the queue does not run, or reads it again.
        case idle
        /// Tasks may start.
        case working
        /// The transfers and moves are being stopped.
        case stopping
    }

    /// What the decision to start a task depends on outside of the queue.
    struct Conditions {
        var now: Date
        /// Whether a listener is so far behind with its events that no further file may be started.
        var isBacklogged = false
    }

    let settings: DownloadSettings
    private(set) var phase = Phase.idle
    /// The tasks that are being fetched, by position.
    private(set) var fetching: [Int: QueuedTask] = [:]
    /// The tasks whose complete files are being moved, by position.
    private(set) var placing: [Int: ReadyFile] = [:]
    private var schedule: DownloadSchedule
    private var batches = PlacementBatches()
    private var files = ActiveFiles()
    /// The ids of tasks in memory whose files do not exist here.
    private var absent: Set<DownloadTask.ID> = []
    /// The earliest time at which a task that waits for a time is tried again. Nil when no task waits for a time.
    private var nextTime: Date?
    /// The reasons that pause more than one task, besides hosts.
    var reasons = PauseReasons()
    /// The hosts that currently get no requests.
    var outages = HostOutages()
    /// The hosts that respond again, but whose stored pauses are not removed yet.
    private var answeringHosts: Set<String> = []
    /// The time of the wall clock when it was last read in this run.
    private(set) var clock: Date?
    /// Whether a command of this program has changed the queue since it was last read.
    private(set) var hasCommand = false
    /// The error that prevents writes to the database, if any.
    private(set) var databaseError: (any Error)?
    /// Resume points that could not be recorded because the database was full.
    private(set) var unrecordedResumePoints: [Int: ResumePoint] = [:]
    /// The accounts with unfinished tasks.
    var accounts = WaitingAccounts()

    init(_ settings: DownloadSettings) {
        self.settings = settings
        schedule = DownloadSchedule(settings)
    }

    // MARK: - The run

    /// Records that a run begins. Reasons that pause all tasks remain, because they do not depend on the run.
    mutating func runBegan() {
        (databaseError, unrecordedResumePoints, outages, answeringHosts) = (nil, [:], HostOutages(), [])
        (clock, accounts, nextTime) = (nil, WaitingAccounts(), nil)
        files.clearContended()
    }

    /// Records that the queue was read, so that tasks may start.
    mutating func workBegan() { phase = .working }

    /// Records that no further task may start, for example because tasks in memory may have been removed or paused.
    mutating func workEnded() { phase = .idle }

    /// Begins to stop all transfers. What they have received is kept.
    mutating func stop() -> [Action] {
        phase = .stopping
        return stopAll()
    }

    /// Records the error of a write to the database. No task starts after it.
    mutating func databaseFailed(_ error: any Error) { databaseError = error }

    /// Records that the database can be written again.
    mutating func databaseRecovered() { databaseError = nil }

    /// Records a command of this program.
    mutating func commandGiven() { hasCommand = true }

    /// Records that the queue was read after the last command.
    mutating func commandsRead() { hasCommand = false }

    /// Keeps a resume point that could not be written because the disk is full.
    mutating func couldNotRecord(_ point: ResumePoint, of row: QueuedTask) {
        unrecordedResumePoints[row.position] = point
    }

    /// Records that the database holds the resume points that were kept.
    mutating func resumePointsRecorded() { unrecordedResumePoints = [:] }

    /// Whether nothing is being fetched or moved.
    var isIdle: Bool { fetching.isEmpty && placing.isEmpty }

    /// Whether there is nothing to do except wait for the running transfers.
    private var isBusy: Bool {
        !fetching.isEmpty && !hasCommand && databaseError == nil && schedule.laneToRead() == nil
    }

    /// The tasks that may have a part that the database does not show.
    var activeTasks: [QueuedTask] { Array(fetching.values) + placing.values.map(\.row) }

    // MARK: - Which task is next

    /// Starts again with the lanes in which tasks wait.
    mutating func reset(_ lanes: [Lane]) {
        absent = []
        schedule.reset(lanes)
    }

    /// Returns a lane whose next tasks must be read, and the position after which to read. Lanes in `wasRead` are
    /// skipped.
    func laneToRead(_ wasRead: Set<Lane>, _ conditions: Conditions) -> (lane: Lane, after: Int)? {
        mayStart(conditions) ? schedule.laneToRead(wasRead) : nil
    }

    /// Prepares for reading tasks, which are then passed to ``read(_:absent:of:asked:)``.
    mutating func readingBegan() { schedule.beginReading() }

    /// Records the tasks that were read. Fewer tasks than `asked` mean that the lane has no more.
    ///
    /// - Returns: Whether any of them may start.
    mutating func read(_ tasks: [QueuedTask], absent: [DownloadTask], of lane: Lane, asked: Int) -> Bool {
        self.absent.formUnion(absent.map(\.id))
        return schedule.add(tasks, of: lane, asked: asked) {
            fetching[$0.position] == nil && placing[$0.position] == nil
        } > 0
    }

    private func mayStart(_ conditions: Conditions) -> Bool {
        !reasons.pausesAll && !batches.isFull && !conditions.isBacklogged
    }

    /// Starts as many of the tasks in memory as may run.
    mutating func startNext(_ conditions: Conditions) -> [Action] {
        guard phase == .working, !hasCommand, databaseError == nil, mayStart(conditions) else { return [] }
        var actions: [Action] = []
        while schedule.hasFreeSlot {
            // In each round, because the first task of a paused host closes that host to all others.
            schedule.closedHosts = outages.isEmpty ? [] : outages.closed(conditions.now)
            guard let next = schedule.next({ !reasons.pauses($0.task.account) }) else { break }
            // The knowledge is used only once, because a task of another account may fetch the same file later.
            let isAbsent = absent.remove(next.task.id) != nil && !files.hadToWait(next)
            guard files.claim(next) else {
                // For example, the task was removed and added again. Its earlier fetch must release the part first.
                schedule.fetchEnded(next)
                continue
            }
            fetching[next.position] = next
            outages.recordStart(next)
            actions.append(.start(next, isAbsent: isAbsent))
        }
        return actions
    }

    /// Records that a task waits until a time. Nil changes nothing.
    mutating func waits(until time: Date?) {
        guard let time else { return }
        nextTime = min(nextTime ?? time, time)
    }

    /// Whether the waiting time of a task has passed. The caller then reads the next time from the database.
    mutating func isTimeDue(_ now: Date) -> Bool {
        guard let nextTime, nextTime <= now else { return false }
        self.nextTime = nil
        return true
    }

    /// By how many seconds the clock may be set back without ending the pauses.
    private static let clockTolerance = 5.0

    /// Records the time of the wall clock.
    ///
    /// - Parameters:
    ///   - time: The time.
    ///   - last: The last time that is known.
    /// - Returns: Whether the clock was set back. All pauses must then end, because they would become longer.
    mutating func clockRead(_ time: Date, last: Date) -> Bool {
        clock = time
        return time.addingTimeInterval(Self.clockTolerance) < last
    }

    /// Records that all stored pauses were removed.
    mutating func pausesRemoved(_ now: Date) {
        outages.retryNow()
        waits(until: now)
    }

    // MARK: - The end of an attempt

    /// Records that a file is complete. ``fetchEnded(_:hasResponse:_:)`` follows for the same task.
    mutating func fileCompleted(_ file: ReadyFile) -> [Action] {
        placing[file.row.position] = file
        if file.row.task.metadata.liveID != nil { return [.placeHalf(file)] }
        batches.add(file)
        return []
    }

    /// Records that a task is no longer being fetched, and starts others in its place. `hasResponse` says whether its
    /// server has responded.
    mutating func fetchEnded(_ position: Int, hasResponse: Bool, _ conditions: Conditions) -> [Action] {
        guard let row = fetching.removeValue(forKey: position) else { return [] }
        files.fetchEnded(row)
        var actions: [Action] = []
        // A file that is being moved stays claimed until the move has ended.
        if placing[position] == nil { actions += release(row, conditions.now) }
        if let recordResponse = hasResponse ? hostAnswered(row) : nil {
            actions += recordResponse
        } else {
            outages.ended(row)
        }
        schedule.fetchEnded(row)
        return actions + startNext(conditions) + startBatch() + pollUnlessBusy()
    }

    /// Releases the file of a task. A task that had to wait for it is read again.
    private mutating func release(_ row: QueuedTask, _ now: Date) -> [Action] {
        guard files.release(row) else { return [] }
        waits(until: now)
        return [.poll]
    }

    private func pollUnlessBusy() -> [Action] { isBusy ? [] : [.poll] }

    // MARK: - Placing

    private mutating func startBatch() -> [Action] { batches.start(isLast: fetching.isEmpty) ? [.placeBatch] : [] }

    /// Returns the files of the batch to put at their destinations, and its number.
    mutating func nextBatch() -> (number: Int, files: [ReadyFile]) { batches.nextBatch() }

    /// Records that an interval has passed.
    mutating func intervalPassed() -> [Action] {
        batches.intervalPassed()
        return startBatch()
    }

    /// Records that the newest batch is on disk, and that the one before it was moved.
    mutating func batchFlushed() -> [Action] {
        batches.flushed()
        return startBatch()
    }

    /// Records that the files of a batch were moved.
    mutating func batchMoved(_ number: Int) -> [Action] {
        batches.moved(number)
        return startBatch()
    }

    /// Records that the move of a task's file has ended, successfully or not.
    mutating func placementEnded(_ position: Int, _ conditions: Conditions) -> [Action] {
        guard let row = placing.removeValue(forKey: position)?.row else { return [] }
        let actions = fetching[position] == nil ? release(row, conditions.now) : []
        schedule.taskEnded(row)
        return actions + startNext(conditions) + pollUnlessBusy()
    }

    /// Returns the outcome of an attempt whose complete file could not be moved. Nil when the next run repeats the
    /// move.
    static func outcome(ofFailedPlacement outcome: FetchOutcome) -> FetchOutcome? {
        switch outcome {
        case .stopped, .whole: nil
        case .paused, .failed: outcome
        case .temporaryFailure(let reason, _), .corrupted(let reason), .intercepted(let reason), .missing(let reason):
            .failed(reason)
        case .outage(let failure): .failed(failure.reason)
        }
    }

    // MARK: - Pauses

    /// Records a reason that pauses tasks. Returns nothing when it exists already.
    mutating func pause(_ reason: PauseReason, now: Date, random: @autoclosure () -> Double) -> [Action] {
        reasons.insert(reason, now: now, random: random()) ? [.report(reason)] : []
    }

    /// Records that all tasks wait for an outside reason, such as a missing network, or no longer do.
    mutating func pauseFromOutside(_ reason: WaitReason?) -> [Action] {
        _ = reasons.remove { if case .outside = $0 { true } else { false } }
        guard let reason else {
            // The hosts may have been unreachable only because there was no network.
            outages.retryNow()
            return [.reportPauses, .poll]
        }
        _ = reasons.insert(.outside(reason), now: .distantPast, random: 0)
        return stopAll() + [.reportPauses, .poll]
    }

    /// Records that reasons no longer apply.
    mutating func pausesEnded(where isOver: (PauseReason) -> Bool) -> [Action] {
        reasons.remove(where: isOver) ? [.reportPauses] : []
    }

    /// Records that an attempt ended for a reason that pauses other tasks too.
    mutating func attemptPaused(
        _ row: QueuedTask, _ reason: PauseReason, now: Date, random: @autoclosure () -> Double
    ) -> [Action] {
        if case .account(let account, _) = reason {
            // Each attempt may fail with another sentence. The first one is enough.
            guard !reasons.pauses(account) else { return [] }
            reasons.accountPauseBegan(account)
            return pause(reason, now: now, random: random())
        }
        let actions = pause(reason, now: now, random: random())
        return actions.isEmpty ? [] : actions + stopAll(except: row.position)
    }

    private func stopAll(except position: Int? = nil) -> [Action] {
        fetching.keys.filter { $0 != position }.map { .stop($0) }
    }

    /// Adopts the stored pauses of hosts, and ends those that a command has removed.
    mutating func hostPausesRead(_ pauses: [HostPause]) -> [Action] {
        let before = outages.waitReason
        outages.adopt(pauses)
        outages.retryNow(except: Set(pauses.map(\.host)))
        return outages.waitReason == before ? [] : [.reportPauses]
    }

    /// Ends the outages of hosts that have responded to a running task. `hasResponse` says for a task's position whether
    /// its server has.
    mutating func answersRead(_ hasResponse: (Int) -> Bool) -> [Action] {
        guard !outages.isEmpty else { return [] }
        var actions: [Action] = []
        for (position, row) in fetching where outages.isFirst(row) && hasResponse(position) {
            actions += hostAnswered(row) ?? []
        }
        return actions
    }

    /// Records that the host of a task responds. Returns nil when that ended no pause.
    private mutating func hostAnswered(_ row: QueuedTask) -> [Action]? {
        guard outages.recordResponse(row) else { return nil }
        answeringHosts.insert(row.host)
        return [.reportPauses, .poll]
    }

    /// Returns the hosts whose stored pauses must be removed, because they respond again.
    mutating func takeAnsweringHosts() -> Set<String> {
        defer { answeringHosts = [] }
        return answeringHosts
    }

    /// Records that the tasks of a host failed after the maximum waiting time.
    mutating func hostGivenUp(_ host: String) -> [Action] {
        // Tasks that are already in memory may have failed with the others.
        hasCommand = true
        outages.end(host)
        return [.reportPauses]
    }

    /// Ends all outages at the end of a run.
    mutating func runEnded() -> [Action] { outages.endAll() ? [.reportPauses] : [] }
}
