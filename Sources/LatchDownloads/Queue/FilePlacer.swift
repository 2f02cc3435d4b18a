import FoundationEssentials
import HTTPClient
import LatchKit
import Synchronization

/// Moves complete parts to their destinations.
///
/// The order of the steps makes a crash harmless. First the bytes of the part are flushed to disk. Then its destination
/// is recorded in the database. Then the part is moved there, and the task is marked as done. The next run sees from
/// the part, the path and the file how far this went.
final class FilePlacer: Sendable {
    /// A complete file.
    struct PlacedFile: Sendable {
        var row: QueuedTask
        var path: String
        /// Its length in bytes. Nil when it was moved before a crash, and its length is known already.
        var size: Int?
    }

    private struct State {
        var isStopping = false
        var pairs: Set<String> = []
    }

    /// How many names are tried for a file.
    static let maximumNames = 10_000

    let context: DownloadContext
    private let state = Mutex(State())

    var store: DownloadStore { context.store }
    var folder: DownloadFolder { context.folder }
    var library: any DownloadLibrary { context.library }

    init(_ context: DownloadContext) { self.context = context }

    /// Sets whether searches for a name end early.
    func setStopping(_ isStopping: Bool) { state.withLock { $0.isStopping = isStopping } }

    /// Claims a live photo. Returns false when its other part does this already.
    func claim(_ pair: String) -> Bool { state.withLock { $0.pairs.insert(pair).inserted } }

    func unclaim(_ pair: String) { state.withLock { _ = $0.pairs.remove(pair) } }

    /// Marks tasks as done, and reports them. The files of tasks that were cancelled meanwhile are removed.
    ///
    /// - Parameters:
    ///   - files: The files at their destinations.
    ///   - isPair: Whether they are both parts of a live photo, which is never kept in part. Default: false.
    /// - Throws: A `LatchError` with a `storage` code. The files stay at their destinations then.
    func finish(_ files: [PlacedFile], isPair: Bool = false) async throws {
        let library = library
        let rows = files.map { (position: $0.row.position, path: $0.path, size: $0.size) }
        let areDone = try await store.record(done: rows, isPair: isPair) { index, connection in
            guard let indexed = library as? any IndexedLibrary else { return }
            try indexed.record(files[index].row.task, at: files[index].path, in: connection)
        }
        for (file, isDone) in zip(files, areDone) {
            guard isDone else {
                try? FileManager.default.removeItem(atPath: file.path)
                continue
            }
            context.broadcast.send(.status(id: file.row.task.id, .done))
            context.broadcast.send(.complete(id: file.row.task.id, path: file.path))
        }
    }

    /// Completes the moves that a program began and did not record before it was killed. Called before a command removes
    /// tasks from the queue, because nothing else identifies their files. Does nothing while a program downloads.
    ///
    /// A file at its destination is marked as done. One part of a live photo is moved back, and an empty file that
    /// reserves a name is removed.
    func completeMoves() async throws {
        guard try await !store.unplaced().isEmpty, let lock = try? context.latch.accounts.lockDownloadsIfFree() else {
            return
        }
        defer { lock.release() }
        for row in try await store.unplaced() {
            if row.task.metadata.liveID != nil {
                try await completePair(row)
            } else if case .placed(let path) = folder.placementState(row) {
                try await finish([PlacedFile(row: row, path: path)])
            }
        }
    }

    /// Moves a task's part to its destination. Returns nil when the task was cancelled meanwhile.
    func publish(_ row: QueuedTask, _ part: DownloadPart) async throws -> PlacedFile? {
        if case .placed(let path) = folder.placementState(row) { return PlacedFile(row: row, path: path) }
        defer { part.close() }
        try await prepare(part, for: row)
        return try await withPlainNames(row.plainlyNamed != nil) { isPlain in
            try await self.publish(part, named: isPlain ? row.plainlyNamed ?? row : row)
        }
    }

    private func publish(_ part: DownloadPart, named row: QueuedTask) async throws -> PlacedFile? {
        var next = 0
        while true {
            try checkStop()
            let (path, attempt) = try freePath(for: row, from: next)
            guard try await store.record(whole: [(row.position, path)]) else {
                part.remove()
                return nil
            }
            try await context.hook.after(.fileRecorded)
            if try await move(part, to: path) { return PlacedFile(row: row, path: path, size: part.count) }
            next = attempt + 1
        }
    }

    /// Ends the search for a name when the queue stops. The next run puts the complete file at its destination.
    ///
    /// The task that searches is not cancelled, because its result must be recorded.
    func checkStop() throws { if state.withLock({ $0.isStopping }) { throw CancellationError() } }

    /// Puts files at their destinations. When the file system refuses, tries again with ASCII names, because FAT may
    /// accept no others.
    func withPlainNames<Value>(
        _ mayBePlain: Bool, _ put: (_ isPlain: Bool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await put(false)
        } catch {
            let code = ((error as? PairMoveError)?.error ?? error as? TransportError)?.code
            guard mayBePlain, code == .file || code == .fileRefused else { throw error }
            // `error` is the error of the first attempt, which names the file as it was requested.
            do { return try await put(true) } catch is TransportError, is PairMoveError { throw error }
        }
    }

    /// Returns the first unused path for a task, and the number of that name. Names before `first` are not tried.
    func freePath(
        for row: QueuedTask, from first: Int = 0, isTaken: (String) -> Bool = { _ in false }
    ) throws -> (path: String, attempt: Int) {
        for attempt in first..<max(first, Self.maximumNames) {
            let path = try library.destination(of: row.task, attempt: attempt)
            if !isTaken(path), !DownloadFolder.isTaken(path) { return (path, attempt) }
        }
        throw noName(row)
    }

    /// Writes the metadata of a part, and flushes it to disk.
    func prepare(_ part: DownloadPart, for row: QueuedTask) async throws {
        library.prepare(part, for: row.task)
        do {
            try await part.flush(modified: row.task.metadata.taken)
        } catch {
            // After a failed flush, the next one may report success although the bytes are lost.
            part.remove()
            // A joined part is made again from the parts of the live photo, which are still complete.
            if part.path == folder.partPath(row) { try await store.recordRestart(row.position) }
            throw error
        }
    }

    /// Moves a part to a path. Returns false when the name is taken. Until then only this user can read the file,
    /// because half of a live photo may wait for a long time.
    func move(_ part: DownloadPart, to path: String) async throws -> Bool {
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
