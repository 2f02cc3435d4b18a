import FoundationEssentials
import HTTPClient
import LatchKit

/// Moves complete parts to their destinations.
///
/// The order of the steps makes a crash harmless. First the bytes of the part are flushed to disk. Then its destination
/// is recorded in the database. Then the part is moved there, and the task is marked as done. The next run sees from
/// the part, the path and the file how far this went.
extension DownloadQueue {
    static let maximumNames = 10_000

    /// Puts a complete part at its destination, while other transfers continue.
    func place(_ row: QueuedTask, _ part: DownloadPart?) {
        placing[row.position] = (row, part?.count ?? 0)
        if row.task.metadata.liveID == nil {
            ready.append(ReadyFile(row: row, part: part))
            readyBytes += part?.count ?? 0
            if placer == nil { placer = Task { await self.placeReady() } } else if isEnoughReady { batchIsReady.wake() }
        } else {
            pairPlacers[row.position] = Task {
                do {
                    try await self.placeHalf(row, part)
                } catch {
                    part?.close()
                    let half = error as? HalfNotPlaced
                    await self.notPlaced(half?.row ?? row, half?.error ?? error)
                }
                self.pairPlacers[row.position] = nil
                self.placed(row)
            }
        }
        leave(row)
    }

    func placed(_ row: QueuedTask) {
        placing[row.position] = nil
        if running[row.position] == nil { release(row.key) }
        schedule.left(row)
        startNext()
        if !isBusy { wakes.wake() }
    }

    func notPlaced(_ row: QueuedTask, _ error: any Error) async {
        if (error as? LatchError)?.code.isOfStorage ?? false {
            // The database failed, not the task. The part is kept, and the next run takes it up.
            databaseError = error
            return
        }
        var error = error
        do { try await checkFolder() } catch let gone { error = gone }
        switch FetchOutcome(error, account: row.task.account) {
        case .stopped, .whole: break
        case .held(let hold):
            await settle(row, .held(hold), nil)
            try? await putBackOther(row)
        case .failed(let reason), .temporaryFailure(let reason, _), .corrupted(let reason), .intercepted(let reason),
            .missing(let reason):
            await settle(row, .failed(reason), nil)
        case .outage(let trouble): await settle(row, .failed(trouble.reason), nil)
        }
    }

    func putBackOther(_ row: QueuedTask) async throws {
        if let partner = try await store.partner(of: row), partner.isWhole { try await store.putBack(partner.position) }
    }

    func done(_ files: [(row: QueuedTask, path: String, size: Int?)]) async throws {
        let (library, tasks) = (library, files.map { ($0.row.task, $0.path) })
        try await store.note(done: files.map { ($0.row.position, $0.path, $0.size) }) { connection in
            guard let indexed = library as? any IndexedLibrary else { return }
            for (task, path) in tasks { try indexed.note(task, at: path, in: connection) }
        }
        fullTimes = 0
        for file in files {
            broadcast.send(.status(id: file.row.task.id, .done))
            broadcast.send(.complete(id: file.row.task.id, path: file.path))
        }
    }

    /// Moves a task's part to its destination. Returns the path and the length, or nil when the task was cancelled
    /// meanwhile.
    func publish(_ row: QueuedTask, _ open: DownloadPart?) async throws -> (path: String, size: Int?)? {
        if case .placed(let path) = standing(row) { return (path, nil) }
        let part = try open ?? DownloadPart(path: partPath(row), mustExist: true)
        defer { part.close() }
        try await make(part, fit: row)
        return try await withPlainNames(row.plainlyNamed != nil) { isPlain in
            try await self.put(part, isPlain ? row.plainlyNamed ?? row : row)
        }
    }

    private func put(_ part: DownloadPart, _ row: QueuedTask) async throws -> (path: String, size: Int?)? {
        var next = 0
        while true {
            try checkStop()
            let (path, attempt) = try freePath(for: row, from: next)
            guard try await store.note(whole: [(row.position, path)]) else {
                part.remove()
                return nil
            }
            try await hook.after(.wholeNoted)
            if try await move(part, path) { return (path, part.count) }
            next = attempt + 1
        }
    }

    /// Ends the search for a name when the queue stops. The next run puts the complete file at its destination.
    ///
    /// The task that searches is not cancelled, because its result must be recorded.
    func checkStop() throws { if isStopping { throw CancellationError() } }

    /// Puts files at their destinations. When the file system refuses, tries again with ASCII names, because FAT may
    /// accept no others.
    func withPlainNames<Value>(
        _ mayBePlain: Bool, _ put: (_ isPlain: Bool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await put(false)
        } catch {
            let code = ((error as? HalfNotPlaced)?.error ?? error as? TransportError)?.code
            guard mayBePlain, code == .file || code == .fileRefused else { throw error }
            do { return try await put(true) } catch is TransportError, is HalfNotPlaced { throw error }
        }
    }

    /// Returns the first unused path for a task, and the number of that name. Names before `first` are not tried.
    func freePath(
        for row: QueuedTask, from first: Int = 0, _ isTaken: (String) -> Bool = { _ in false }
    ) throws -> (path: String, attempt: Int) {
        for attempt in first..<max(first, Self.maximumNames) {
            let path = try library.destination(of: row.task, attempt: attempt)
            if !isTaken(path), !Self.isTaken(path) { return (path, attempt) }
        }
        throw noName(row)
    }

    func make(_ part: DownloadPart, fit row: QueuedTask) async throws {
        library.prepare(part, for: row.task)
        do {
            try await part.flush(modified: row.task.metadata.taken)
        } catch {
            // After a failed flush, the next one may report success although the bytes are lost.
            part.remove()
            if part.path == partPath(row) { try await store.note(anew: row.position) }
            throw error
        }
    }

    /// Moves a part to a path. Returns false when the name is taken. Until then only this user can read the file,
    /// because half of a live photo may wait for a long time.
    func move(_ part: DownloadPart, _ path: String) async throws -> Bool {
        do {
            part.share()
            try await part.publish(as: path)
            return true
        } catch let error as TransportError where error.code == .fileExists {
            return false
        }
    }

    func noName(_ row: QueuedTask) -> LatchError {
        LatchError(
            .fileFailed,
            "Could not find a free name for '\(SafeFileName(row.task.filename))' in '\(library.folder)'. "
                + "Remove files there."
        )
    }
}

/// An error that names the part of a live photo that could not be moved. The other part is not at fault.
struct HalfNotPlaced: Error {
    let row: QueuedTask
    let error: TransportError
}
