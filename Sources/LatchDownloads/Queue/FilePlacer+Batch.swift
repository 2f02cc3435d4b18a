import FoundationEssentials
import HTTPClient
import LatchKit

/// Puts files that are not part of a live photo at their destinations in batches. The disk is flushed once for all
/// files of a batch. The order of the steps is the same as for a single file.
extension FilePlacer {
    /// Files on their way to their destinations.
    struct Batch: Sendable {
        let files: [ReadyFile]
        /// The files whose bytes are on disk.
        fileprivate var flushed: [ReadyFile] = []
        /// The files that were moved to their destinations before a crash.
        fileprivate var placed: [PlacedFile] = []
        /// The errors of single files, by position.
        fileprivate var failures: [Int: any Error] = [:]

        fileprivate init(_ files: [ReadyFile]) { self.files = files }

        fileprivate mutating func fail(_ file: ReadyFile, _ error: any Error) {
            file.part?.close()
            failures[file.row.position] = error
        }
    }

    /// Flushes the bytes of files to disk. Afterwards the batch must be passed to ``move(_:)``.
    func flush(_ files: [ReadyFile]) async -> Batch {
        var batch = Batch(files)
        var open: [ReadyFile] = []
        for var file in files {
            // After a crash between the move and its record, there is no part to flush. Only the record is missing.
            if file.row.path != nil, case .placed(let path) = folder.placementState(file.row) {
                file.part?.close()
                batch.placed.append(PlacedFile(row: file.row, path: path))
                continue
            }
            do {
                // A part from before this run is not open yet. A missing one must not be created and moved empty.
                file.part = try file.part ?? DownloadPart(path: folder.partPath(file.row), mustExist: true)
                open.append(file)
            } catch {
                batch.fail(file, error)
            }
        }
        await flush(open, &batch)
        return batch
    }

    /// Flushes open parts to disk. A file whose flush failed is fetched from the beginning, because the next flush may
    /// report success although the bytes are lost.
    ///
    /// Source: fsync(2), ERRORS.
    private func flush(_ files: [ReadyFile], _ batch: inout Batch) async {
        let entries = files.compactMap { file in file.part.map { (part: $0, task: file.row.task) } }
        let library = library
        let failures = await DownloadPart.flush(entries.map { ($0.part, $0.task.metadata.taken) }) { index in
            library.prepare(entries[index].part, for: entries[index].task)
            entries[index].part.share()
        }
        for (file, failure) in zip(files, failures) {
            guard let failure else {
                batch.flushed.append(file)
                continue
            }
            file.part?.remove()
            // If this write fails, the next attempt finds no part, and starts from the beginning too.
            try? await store.recordRestart(file.row.position)
            batch.fail(file, failure)
        }
    }

    /// Moves the files of a batch to their destinations, and marks their tasks as done.
    ///
    /// - Returns: Whether any task is done, and the errors of the tasks that are not, by position. A task that was
    ///   cancelled meanwhile has no error.
    func move(_ batch: Batch) async -> (isAnyDone: Bool, failures: [Int: any Error]) {
        var batch = batch
        do {
            try await moveFlushed(&batch)
            try await context.hook.after(.placed)
            if !batch.placed.isEmpty { try await finish(batch.placed) }
            return (!batch.placed.isEmpty, batch.failures)
        } catch {
            // The parts are kept. The next attempt can open them only when their locks are released.
            for file in batch.flushed { file.part?.close() }
            for file in batch.files where batch.failures[file.row.position] == nil {
                batch.failures[file.row.position] = error
            }
            return (false, batch.failures)
        }
    }

    /// Records the destinations of files, and moves them there.
    private func moveFlushed(_ batch: inout Batch) async throws {
        let chosen = choosePaths(&batch)
        guard !chosen.isEmpty else { return }
        // On disk before any rename: after a power loss, only this record connects a moved file with its task.
        let areThere = try await store.recordComplete(chosen.map { ($0.file.row.position, $0.path) })
        try await context.hook.after(.fileRecorded)
        var moves: [(file: ReadyFile, part: DownloadPart, path: String)] = []
        for ((file, path), isThere) in zip(chosen, areThere) {
            guard let part = file.part else { continue }
            // The task was cancelled meanwhile. The cleanup skips parts of active tasks, so the part is removed here.
            if isThere { moves.append((file, part, path)) } else { part.remove() }
        }
        let failures = await DownloadPart.publish(moves.map { ($0.part, $0.path) })
        for (move, failure) in zip(moves, failures) {
            let row = move.file.row
            guard let failure else {
                batch.placed.append(PlacedFile(row: row, path: move.path, size: move.part.count))
                continue
            }
            do {
                // The name was taken just now, or the file system does not accept it.
                guard failure.code == .fileExists || row.plainlyNamed != nil else { throw failure }
                if let file = try await publish(row, move.part) { batch.placed.append(file) }
            } catch {
                batch.fail(move.file, error)
            }
        }
    }

    private func choosePaths(_ batch: inout Batch) -> [(file: ReadyFile, path: String)] {
        var taken: Set<String> = []
        var chosen: [(file: ReadyFile, path: String)] = []
        for file in batch.flushed {
            do {
                // The folder does not show yet which names the other files of this batch will take.
                let path = try freePath(for: file.row) { taken.contains($0) }.path
                taken.insert(path)
                chosen.append((file, path))
            } catch {
                batch.fail(file, error)
            }
        }
        return chosen
    }
}
