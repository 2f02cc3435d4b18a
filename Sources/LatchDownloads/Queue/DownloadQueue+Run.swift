import Desktop
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
    /// - Parameter waitsForMore: Whether to wait for further tasks instead of returning. Default: false.
    /// - Throws: `LatchError.Code.storageLocked` when another program is fetching already;
    ///   `LatchError.Code.signedOut` after all other tasks have ended, when an account with unfinished tasks was
    ///   signed out meanwhile; a `LatchError` with a `storage` code; `CancellationError`.
    public func run(waitsForMore: Bool = false) async throws { try await run(only: nil, waitsForMore: waitsForMore) }

    /// Fetches the tasks of a group as ``run(waitsForMore:)`` does, or those of all groups if it is nil. The others wait.
    package func run(only group: DownloadGroup?, waitsForMore: Bool = false) async throws {
        var lock: FileLock? = try await latch.accounts.lockDownloads()
        self.group = group
        while let held = lock {
            defer { held.release() }
            try await runAlone(waitsForMore)
            await context.hook.beforeRelease()
            held.release()
            await context.hook.afterRelease()
            // A command that removed tasks while the lock was held left their parts to this program.
            try await folder.removePartsAfterCommand { [] }
            // Programs that added tasks until now saw that the lock was held, and left the tasks to this program.
            lock = try await lanes().isEmpty ? nil : lockAgain()
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

    private func runAlone(_ waitsForMore: Bool) async throws {
        do {
            try await prepareFolder()
        } catch let error as LatchError where error.code == .folderGone && context.settings.maximumOutage == nil {
            // In the background there is no person to tell, and a drive may be mounted after the desktop has started.
            pause(.disk(.folder))
        }
        machine.runBegan()
        fetcher.sessions.removeAll()
        let heartbeat = Task { [wakes] in
            while (try? await Task.sleep(for: Self.interval)) != nil { wakes.wake() }
        }
        defer { heartbeat.cancel() }
        defer { machine.workEnded() }
        do {
            while try await !isWorkDone(waitsForMore) { try await waitForFreeSpace() }
        } catch {
            // Transfers and moves are unstructured tasks, which the cancellation of this task does not reach.
            await stopAll()
            await reportOverall()
            throw error
        }
        perform(machine.runEnded())
        await reportOverall()
        if let error = machine.accounts.error { throw error }
    }

    /// Works until nothing is left. Returns false when the database is full; nothing is running then.
    private func isWorkDone(_ waitsForMore: Bool) async throws -> Bool {
        do {
            // This program holds the lock, so no other program runs the tasks that are marked as running.
            try await store.restore(now: context.now())
            try await checkClock()
            try await folder.cleanUpOtherOwnersParts(now: context.now())
            try await folder.removePlaceholders()
            try await removeStrayParts()
            machine.waits(until: try await store.nextTime(after: context.now()))
            try await checkAccounts()
            machine.workBegan()
            try await work(waitsForMore)
            // Again, because an account may have been removed since the last interval.
            try await checkAccounts()
            return true
        } catch  where Self.isFull(error) {
            await stopAll()
            // While the error is set, no task starts. The caller waits for free space instead.
            machine.databaseRecovered()
            return false
        }
    }

    private func work(_ waitsForMore: Bool) async throws {
        var seen = -1
        var (reported, isDue) = (ContinuousClock.now, true)
        while true {
            try Task.checkCancellation()
            // Commands of other programs are checked once per interval, commands of this program at once.
            let revision = isDue || machine.hasCommand ? try await store.revision() : seen
            machine.commandsRead()
            if revision != seen {
                seen = revision
                // Tasks that are already in memory may have been removed or paused.
                machine.workEnded()
                try await endAccountPauses()
                try await removeStrayParts()
                perform(machine.hostPausesRead(try await store.pauses(after: context.now())))
                try await readLanes()
                machine.workBegan()
            } else if try await isTimeDue() || running.isEmpty {
                // Also while nothing runs, because a task that waits again does not raise the revision.
                try await readLanes()
            }
            try await startTasks()
            // The tasks of transfers and moves have no caller, so their error is thrown here.
            if let error = machine.databaseError { throw error }
            // Also while a full disk or a missing folder pauses the queue: without waiting files, nothing needs the disk.
            if machine.isIdle, !waitsForMore, try await isOver() { return }
            isDue = reported + Self.interval <= .now
            if isDue {
                reported = .now
                try await intervalPassed()
            }
            try await wakes.next()
        }
    }

    /// Does what is done once per interval.
    private func intervalPassed() async throws {
        perform(machine.intervalPassed())
        try await recordRunning()
        try await checkAccounts()
        try await applyCommands()
        perform(machine.answersRead { running[$0]?.hasResponse ?? false })
        let hosts = machine.takeAnsweringHosts()
        if !hosts.isEmpty { try await store.removePauses(of: hosts) }
        try await checkClock()
        await reportProgress()
        if machine.reasons.isSpaceCheckDue(context.now()), await hasFreeSpace() {
            perform(machine.pausesEnded(where: \.isDisk))
        }
    }

    // MARK: - Which tasks run

    /// Returns the lanes of this run in which tasks wait.
    private func lanes() async throws -> [Lane] {
        try await store.lanes().filter { group == nil || $0.group == group }
    }

    private func readLanes() async throws { machine.reset(try await lanes()) }

    /// Whether the waiting time of a task has passed since the last call.
    private func isTimeDue() async throws -> Bool {
        guard machine.isTimeDue(context.now()) else { return false }
        machine.waits(until: try await store.nextTime(after: context.now()))
        return true
    }

    /// Reads waiting tasks and starts as many as may run.
    private func startTasks() async throws {
        perform(machine.startNext(conditions))
        var wasRead: Set<Lane> = []
        while let (lane, last) = machine.laneToRead(wasRead, conditions) {
            machine.readingBegan()
            let tasks = try await store.waiting(
                in: lane, after: last, now: context.now(), limit: Self.pageSize)
            let absent = try await context.library.absent(tasks.map(\.task))
            // A page of which no task may start does not count, so that the next page of the lane is read at once.
            if machine.read(tasks, absent: absent, of: lane, asked: Self.pageSize) { wasRead.insert(lane) }
            perform(machine.startNext(conditions))
        }
    }

    /// Whether no task waits to be fetched, including those that wait for a time.
    private func isOver() async throws -> Bool {
        guard try await lanes().isEmpty else { return false }
        for half in try await store.halves() where machine.placing[half.position] == nil {
            let partner = try await store.partner(of: half)
            if partner?.state == .paused {
                try await store.record(half.position, .paused)
            } else if partner?.state.isOver ?? true {
                try await failHalf(half, without: partner, keepsPart: partner?.resume != nil)
            }
        }
        return machine.isIdle
    }

    /// Records which tasks run, and their resume points, for all transfers that began since the last call.
    ///
    /// Most files are small and complete before this is called, which saves a write. After a crash they are fetched
    /// from the beginning.
    private func recordRunning() async throws {
        let records = running.values.compactMap { fetch in fetch.pendingRecord.map { (fetch, $0) } }
        guard !records.isEmpty else { return }
        try await store.record(running: records.map { (position: $0.row.position, point: $1.point) })
        for (fetch, record) in records { fetch.confirm(record) }
    }

    /// Stops transfers whose tasks were removed or paused by this program or another one.
    private func applyCommands() async throws {
        for (position, fetch) in running {
            let row = try await store.task(position)
            if row == nil || row?.state == .paused { fetch.stop() }
        }
    }

    private func removeStrayParts() async throws {
        try await folder.removeStrayParts { machine.activeTasks }
    }

    // MARK: - Pauses

    private func pause(_ reason: PauseReason) {
        perform(machine.pause(reason, now: context.now(), random: context.hook.random()))
    }

    /// Ends the pauses of accounts with waiting tasks. The tasks of such an account were paused, and a command lets
    /// them wait again after the sign-in.
    private func endAccountPauses() async throws {
        for (account, reason) in machine.reasons.pausedAccounts where try await store.hasWaiting(account) {
            perform(machine.pausesEnded { $0 == reason })
        }
    }

    /// Ends all pauses when the clock was set back, because they would become longer.
    private func checkClock() async throws {
        let time = context.now()
        let last = if let clock = machine.clock { clock } else { try await store.lastWait() ?? .distantPast }
        guard machine.clockRead(time, last: last) else { return }
        try await store.endPauses()
        machine.pausesRemoved(time)
    }

    /// Updates the accounts with unfinished tasks, and records those that were removed together with their tasks.
    private func checkAccounts() async throws {
        let open = try await store.openByAccount()
        let (ended, new) = machine.accounts.update(open)
        for id in ended {
            let isRemoved = try await latch.accounts.account(id) == nil
            machine.accounts.remove(id, isRemoved: isRemoved)
            guard isRemoved else { continue }
            fetcher.sessions.remove(id)
            // The foreign key has deleted the tasks with the account, but not their parts.
            try await removeStrayParts()
        }
        for id in new {
            guard let account = try await latch.accounts.account(id) else { continue }
            machine.accounts.add(id, open: open[id] ?? 0, server: account.serverURL.description)
        }
    }

    // MARK: - A full disk

    /// Whether the database could not be written because its disk is full.
    private static func isFull(_ error: any Error) -> Bool { (error as? LatchError)?.code == .storageFull }

    /// Waits until the database can be written again, then records what could not be recorded before.
    ///
    /// No task runs meanwhile, because its end could not be recorded.
    private func waitForFreeSpace() async throws {
        pause(.disk(.queue))
        repeat { try await wakes.next() } while try await !isWritable()
        perform(machine.pausesEnded(where: \.isDisk))
    }

    private func isWritable() async throws -> Bool {
        guard machine.reasons.isSpaceCheckDue(context.now()), await hasFreeSpace() else { return false }
        do {
            try await store.restoreRunning()
            for (position, point) in machine.unrecordedResumePoints {
                try await store.record(position, resume: point, boot: SystemBoot.id)
            }
            machine.resumePointsRecorded()
            return true
        } catch  where Self.isFull(error) {
            return false
        }
    }

    /// Whether there is enough free space for the files and for the database, and a missing folder is back.
    private func hasFreeSpace() async -> Bool {
        // The folder may come back without the hidden folder for parts, which is then created again.
        if machine.reasons.all.contains(.disk(.folder)), (try? await prepareFolder()) == nil { return false }
        return folder.hasFreeSpace
    }

    // MARK: - Events

    private func reportProgress() async {
        for fetch in running.values where fetch.row.task.reportsProgress {
            let progress = fetch.progress
            broadcast.send(.progress(id: fetch.row.task.id, received: progress.received, total: progress.total))
        }
        await reportOverall()
    }

    private func reportOverall() async {
        guard let progress = try? await progress() else { return }
        broadcast.send(.overall(progress))
    }
}
