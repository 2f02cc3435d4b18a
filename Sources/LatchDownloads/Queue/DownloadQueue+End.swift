import FoundationEssentials
import HTTPClient
import LatchKit
import Primitives

extension DownloadQueue {
    /// How often a file with wrong content is fetched again from the beginning.
    private static let corruptedRetries = 1
    /// An attempt that receives at least this many bytes, from which the next attempt can resume, does not count. A
    /// large file may take any number of attempts.
    private static let progress = 64 << 10

    /// Handles the end of an attempt to fetch a task.
    func ended(_ row: QueuedTask, _ outcome: FetchOutcome, _ part: DownloadPart?) async {
        if case .whole = outcome, let part {
            var row = row
            row.task.metadata.version = running[row.position]?.version
            return place(row, part)
        }
        // A stopped fetch is cancelled, and a cancelled task cannot write. A new task records the end nevertheless.
        await Task {
            await self.settle(row, outcome, part)
            self.leave(row)
        }.value
    }

    /// Records the end of an attempt that brought no file.
    func settle(_ row: QueuedTask, _ outcome: FetchOutcome, _ part: DownloadPart?) async {
        do {
            guard try await store.task(row.position) != nil else {
                part?.remove()
                return try await tellIfAccountIsGone(row)
            }
            try await noteResume(row)
            switch outcome {
            case .whole: break
            case .missing(let reason): try await finish(row, .skipped(reason), part)
            case .outage(let trouble): try await rest(row, trouble, part)
            case .failed(let reason): try await finish(row, .failed(reason), part)
            case .temporaryFailure(let reason, let wait):
                var row = row
                if let gained = running[row.position]?.gained, gained >= Self.progress,
                    try await store.task(row.position)?.resume?.tellsVersion ?? false
                {
                    row.attempts = 0
                }
                try await tryAgain(row, reason, wait, part, attempts: settings.retries)
            case .intercepted(let reason): try await tryAgain(row, reason, nil, part, attempts: Self.corruptedRetries)
            case .corrupted(let reason):
                part?.remove()
                try await store.note(row.position, resume: nil, boot: nil)
                // A resumed part may combine bytes of two versions. It gets the usual number of retries, because no
                // attempt has fetched the whole file.
                let attempts = row.resume == nil ? Self.corruptedRetries : settings.retries
                try await tryAgain(row, reason, nil, nil, attempts: attempts)
            case .held(let hold): try await holdUp(row, hold, part)
            case .stopped: try await stopped(row, part)
            }
        } catch {
            // The row is still marked as running. The next run takes it up.
            part?.close()
            databaseError = error
        }
    }

    /// Records what a part holds, if the database does not have it yet. When the database is full, the resume point is
    /// kept and recorded once there is room.
    private func noteResume(_ row: QueuedTask) async throws {
        guard let point = running[row.position]?.takePendingRecord()?.point else { return }
        do {
            try await store.note(row.position, resume: point, boot: Self.boot)
        } catch {
            unrecordedResumePoints[row.position] = point
            throw error
        }
    }

    /// Frees the slot of a task that is no longer being fetched.
    func leave(_ row: QueuedTask) {
        guard let fetch = running.removeValue(forKey: row.position) else { return }
        contended[row.position] = nil
        tally.arrived(fetch.gained)
        if placing[row.position] == nil { release(row.key) }
        if !fetch.hasAnswer || !noteAnswer(row) { outages.left(row) }
        schedule.ended(row)
        startNext()
        if running.isEmpty { batchIsReady.wake() }
        if !isBusy { wakes.wake() }
    }

    func tryAgain(
        _ row: QueuedTask, _ reason: String, _ wait: Duration?, _ part: DownloadPart?, attempts: Int
    ) async throws {
        guard row.attempts < attempts else {
            return try await finish(
                row, .failed("\(reason) It was tried \(row.attempts + 1) times."), part, keepsPart: true)
        }
        let pause = BackOff.pause(after: row.attempts, chance: hook.chance())
        let asked = wait.map { min($0, BackOff.longestAskedFor).seconds } ?? 0
        try await rest(
            row, until: now().addingTimeInterval(max(pause, asked)), reason, part, attempts: row.attempts + 1)
    }

    /// Makes a task wait until a time. What it has received is kept.
    func rest(
        _ row: QueuedTask, until time: Date, _ reason: String, _ part: DownloadPart?, attempts: Int
    ) async throws {
        if part?.count == 0 { part?.remove() } else { part?.close() }
        nextTime = min(nextTime ?? time, time)
        guard
            try await store.note(row.position, restsUntil: time, because: reason, attempts: attempts, now: now())
        else { return }
        broadcast.send(.status(id: row.task.id, .waiting))
    }

    /// Ends a task without a file. The other part of a live photo ends with it, because a live photo is never kept in
    /// part. If `keepsPart` is true, the received bytes are kept, so that a retry can resume.
    ///
    /// Source: DL-6.
    func finish(
        _ row: QueuedTask, _ state: DownloadState, _ part: DownloadPart?, keepsPart: Bool = false
    ) async throws {
        part?.close()
        guard try await store.note(row.position, state, keepsPart: keepsPart) else { return }
        if keepsPart { try await removeParts(of: row) } else { removeParts(row) }
        tell(row, state)
        guard let partner = try await store.partner(of: row), !partner.state.isOver else { return }
        if case .skipped = state, try await library.existing(row.task) != nil { return }
        try await failHalf(partner, without: row, keepsPart: keepsPart)
    }

    /// Fails a part of a live photo whose other part could not be fetched.
    func failHalf(_ row: QueuedTask, without other: QueuedTask?, keepsPart: Bool = false) async throws {
        let name = other.map { ", '\(SafeFileName($0.task.filename))'," } ?? ""
        let why = DownloadState.failed(
            "Both parts of a live photo are downloaded, or none: its other part\(name) could not be downloaded.")
        let isNew = try await store.end(row.position, why, keepsPart: keepsPart)
        // A row that had ended before did so while its part became complete; that fetch is not stopped.
        if let fetch = running[row.position] { if isNew { fetch.stop() } } else { try await removeParts(of: row) }
        if isNew { tell(row, why) }
    }

    /// Removes the parts of an ended task, unless a retry can resume from them.
    func removeParts(of row: QueuedTask) async throws {
        let current = try await store.task(row.position)
        if case .failed = current?.state, current?.resume?.tellsVersion ?? false { return }
        removeParts(row)
        if current?.resume != nil { try await store.note(row.position, resume: nil, boot: nil) }
    }

    func removeParts(_ row: QueuedTask) {
        try? FileManager.default.removeItem(atPath: partPath(row))
        guard row.task.metadata.liveID != nil else { return }
        try? FileManager.default.removeItem(atPath: joinedPath(row))
    }

    func tell(_ row: QueuedTask, _ state: DownloadState) { tell(row.task.id, state) }

    func tell(_ id: DownloadTask.ID, _ state: DownloadState) {
        broadcast.send(.status(id: id, state))
        if let reason = state.reason { broadcast.send(.error(id: id, reason)) }
    }

    private func holdUp(_ row: QueuedTask, _ hold: PauseReason, _ part: DownloadPart?) async throws {
        part?.close()
        if try await store.note(row.position, .waiting) { broadcast.send(.status(id: row.task.id, .waiting)) }
        if case .account(let account, _) = hold, !isHeld(account) {
            begin(hold)
            pausing.insert(account)
            defer { pausing.remove(account) }
            try await store.pause(account: account)
            return
        }
        guard hold.isDisk, begin(hold) else { return }
        for fetch in running.values where fetch.row.position != row.position { fetch.stop() }
    }

    private func stopped(_ row: QueuedTask, _ part: DownloadPart?) async throws {
        part?.close()
        switch try await store.task(row.position)?.state {
        case .running, .waiting:
            guard try await store.note(row.position, .waiting) else { return }
            broadcast.send(.status(id: row.task.id, .waiting))
        case .paused: broadcast.send(.status(id: row.task.id, .paused))
        case nil, .done, .skipped, .failed: try await removeParts(of: row)
        }
    }
}
