import FoundationEssentials
import HTTPClient
import LatchKit

extension DownloadQueue {
    /// How often progress is reported and commands of other programs are checked.
    static let interval = Duration.milliseconds(250)
    /// How many tasks of a lane are read at once.
    private static let pageSize = 64

    /// Fetches until nothing is left to fetch: every task is done, skipped, failed or paused.
    ///
    /// Waits while something holds up all tasks, for example a full disk, including the disk with the queue's database.
    /// When cancelled, stops the running transfers, keeps what they have received, and throws `CancellationError`.
    ///
    /// - Parameter isLasting: Whether to wait for further tasks instead of returning. Default: false.
    /// - Throws: `LatchError.Code.storageLocked` when another program is fetching already;
    ///   `LatchError.Code.signedOut` after all other tasks have ended, when an account with unfinished tasks was
    ///   signed out meanwhile; a `LatchError` with a `storage` code; `CancellationError`.
    public func run(isLasting: Bool = false) async throws {
        var lock: FileLock? = try await latch.accounts.lockDownloads()
        while let held = lock {
            defer { held.release() }
            try await runAlone(isLasting)
            await hook.beforeRelease()
            held.release()
            await hook.afterRelease()
            // Programs that added tasks until now saw that the lock was held, and left the tasks to this program.
            lock = try await store.lanes().isEmpty ? nil : lockAgain()
        }
    }

    /// Takes the lock again. Returns nil when another program is fetching. A program that holds the lock only for a
    /// moment does not count.
    private func lockAgain() async throws -> FileLock? {
        do {
            return try await latch.accounts.lockDownloads()
        } catch let error as LatchError where error.code == .storageLocked {
            return nil
        }
    }

    private func runAlone(_ isLasting: Bool) async throws {
        do {
            try await prepareFolder()
        } catch let error as LatchError where error.code == .folderGone && settings.maximumOutage == nil {
            // In the background there is no person to tell, and a drive may be mounted after the desktop has started.
            begin(.disk(.folder))
        }
        (databaseError, sessions, executors, unrecordedResumePoints, outages) = (nil, [:], [:], [:], HostOutages())
        (waitingAccounts, lostAccounts, answeringHosts, clock, contended) = ([:], [], [], nil, [:])
        let heartbeat = Task { [wakes] in
            while (try? await Task.sleep(for: Self.interval)) != nil { wakes.wake() }
        }
        defer { heartbeat.cancel() }
        defer { isWorking = false }
        do {
            while try await !isWorkDone(isLasting) { try await waitForRoom() }
        } catch {
            isWorking = false
            await stopAll()
            await tellOverall()
            throw error
        }
        if outages.endAll() { tellHolds() }
        await tellOverall()
        if let loss = removedAccountsError() { throw loss }
    }

    /// Works until nothing is left. Returns false when the database is full; nothing is running then.
    private func isWorkDone(_ isLasting: Bool) async throws -> Bool {
        do {
            try await store.takeUp(now: now())
            try await checkClock()
            try await sortForeignParts()
            try await removePlaceholders()
            try await removeStrayParts()
            nextTime = try await store.nextTime(after: now())
            try await checkAccounts()
            isWorking = true
            try await work(isLasting: isLasting)
            try await checkAccounts()
            return true
        } catch  where Self.isFull(error) {
            isWorking = false
            await stopAll()
            databaseError = nil
            return false
        }
    }

    private func work(isLasting: Bool) async throws {
        var seen = -1
        var (told, isTold) = (ContinuousClock.now, true)
        while true {
            try Task.checkCancellation()
            // Commands of other programs are checked once per interval, commands of this program at once.
            let revision = isTold || isCommanded ? try await store.revision() : seen
            isCommanded = false
            if revision != seen {
                seen = revision
                // Tasks that are already in memory may have been removed or paused.
                isWorking = false
                try await releaseAccounts()
                try await removeStrayParts()
                try await syncPauses()
                try await readAnew()
                isWorking = true
            } else if try await isTime() || running.isEmpty {
                try await readAnew()
            }
            try await fill()
            if let databaseError { throw databaseError }
            if running.isEmpty, placing.isEmpty, !isHeld, !isLasting, try await isOver() { return }
            isTold = told + Self.interval <= .now
            if isTold {
                told = .now
                batchIsReady.wake()
                try await noteRunning()
                try await checkAccounts()
                try await applyCommands()
                noteAnswers()
                try await noteAnsweringHosts()
                try await checkClock()
                await tellProgress()
                await checkRoom()
            }
            try await wakes.next()
        }
    }

    /// Whether no task waits to be fetched, including those that wait for a time.
    private func isOver() async throws -> Bool {
        guard try await store.lanes().isEmpty else { return false }
        for half in try await store.halves() where placing[half.position] == nil {
            let partner = try await store.partner(of: half)
            if partner?.state == .paused {
                try await store.note(half.position, .paused)
            } else if partner?.state.isOver ?? true {
                try await failHalf(half, without: partner, keepsPart: partner?.resume != nil)
            }
        }
        return running.isEmpty && placing.isEmpty
    }

    /// Whether the waiting time of a task has passed since the last call.
    private func isTime() async throws -> Bool {
        guard let time = nextTime, time <= now() else { return false }
        nextTime = try await store.nextTime(after: now())
        return true
    }

    /// Reads waiting tasks and starts as many as may run.
    private func fill() async throws {
        startNext()
        var wasRead: Set<Lane> = []
        while !isHeld, ready.count < Self.maximumReady, !broadcast.isFull,
            let (lane, last) = schedule.laneToRead(wasRead)
        {
            schedule.beginReading()
            let tasks = try await store.waiting(in: lane, after: last, now: now(), limit: Self.pageSize)
            for task in try await library.absent(tasks.map(\.task)) { absent.insert(task.id) }
            let count = schedule.take(tasks, of: lane, asked: Self.pageSize) {
                running[$0.position] == nil && placing[$0.position] == nil
            }
            if count > 0 { wasRead.insert(lane) }
            startNext()
        }
    }

    /// Starts as many of the tasks in memory as may run.
    func startNext() {
        guard isWorking, !isCommanded, databaseError == nil else { return }
        while schedule.hasRoom, !isHeld, ready.count < Self.maximumReady, !broadcast.isFull {
            schedule.closedHosts = outages.isEmpty ? [] : outages.closed(now())
            guard let next = schedule.next({ !isHeld($0.task.account) }) else { return }
            if activeFiles.contains(next.key) {
                // For example, the task was removed and added again. Its earlier fetch must release the part first.
                contended[next.position] = next.key
                schedule.ended(next)
            } else {
                start(next)
            }
        }
    }

    /// Records that a file is no longer being fetched or moved. A task that had to wait for it is read again.
    func release(_ key: QueuedTask.Key) {
        guard activeFiles.remove(key) != nil, contended.values.contains(key) else { return }
        nextTime = now()
        wakes.wake()
    }

    /// Whether there is nothing to do except wait for the running transfers.
    var isBusy: Bool { !running.isEmpty && !isCommanded && databaseError == nil && schedule.laneToRead() == nil }

    private func readAnew() async throws {
        let lanes = try await store.lanes()
        absent = []
        schedule.reset(lanes)
    }

    private func start(_ row: QueuedTask) {
        let fetch = RunningFetch(row)
        running[row.position] = fetch
        activeFiles.insert(row.key)
        outages.began(row)
        fetch.begin(Task(executorPreference: executors[row.task.account]) { await self.fetch(fetch) })
    }

    /// Stops transfers whose tasks were removed or paused by this program or another one.
    private func applyCommands() async throws {
        for (position, fetch) in running {
            let row = try await store.task(position)
            if row == nil || row?.state == .paused { fetch.stop() }
        }
    }

    /// Ends the holds of accounts with waiting tasks. The tasks of such an account were paused, and a command lets them
    /// wait again after the sign-in.
    private func releaseAccounts() async throws {
        for hold in holds {
            guard case .account(let account, _) = hold, !pausing.contains(account), try await store.hasWaiting(account)
            else { continue }
            end { $0 == hold }
        }
    }

    private func stopAll() async {
        isStopping = true
        defer { isStopping = false }
        for fetch in running.values { fetch.stop() }
        while !running.isEmpty || !placing.isEmpty {
            for fetch in running.values { await fetch.ended() }
            await placer?.value
            for task in pairPlacers.values { await task.value }
        }
    }

    private func tellProgress() async {
        for fetch in running.values where fetch.row.task.wantsProgress {
            let progress = fetch.progress
            broadcast.send(.progress(id: fetch.row.task.id, received: progress.received, total: progress.total))
        }
        await tellOverall()
    }

    private func tellOverall() async {
        guard let progress = try? await progress() else { return }
        broadcast.send(.overall(progress))
    }
}
