import FoundationEssentials
import HTTPClient
import LatchKit

/// A complete file, not part of a live photo, that is ready to be moved to its destination.
struct ReadyFile: Sendable {
    let row: QueuedTask
    /// Its part, if it is still open.
    var part: DownloadPart?
}

/// Puts files at their destinations in batches. A batch holds the files that became complete while the previous batch
/// was processed. The disk is then flushed once for all of them. The order of the steps is the same as for a single
/// file.
extension DownloadQueue {
    /// The maximum number of files in a batch.
    private static let batchSize = 64
    /// The number of waiting bytes that starts a batch at once, because writing them takes long.
    private static let batchBytes = 8 << 20
    /// The number of waiting files at which no further transfer starts. Each keeps a file descriptor open.
    static let maximumReady = 128

    /// Processes batches until no file is ready. While one batch is flushed to disk, the previous one is moved.
    func placeReady() async {
        var naming: Task<Void, Never>?
        while !ready.isEmpty {
            // This task is never cancelled; the code that stops the queue waits for it.
            if !isEnoughReady { try? await batchIsReady.next() }
            let files = Array(ready.prefix(Self.batchSize))
            ready.removeFirst(files.count)
            readyBytes = ready.reduce(0) { $0 + ($1.part?.count ?? 0) }
            let batch = await bringToDisk(files)
            await naming?.value
            naming = Task { await self.name(batch) }
            if ready.isEmpty { await naming?.value }
        }
        placer = nil
    }

    /// Whether to process the ready files now: the batch is full, nothing more will come, or writing takes long.
    /// Otherwise the batch waits for more files until the next interval at most.
    var isEnoughReady: Bool {
        running.isEmpty || ready.count >= Self.batchSize || readyBytes >= Self.batchBytes
    }

    /// Files on their way to their destinations.
    private struct Batch: Sendable {
        var files: [ReadyFile]
        /// The files whose bytes are on disk.
        var flushed: [ReadyFile] = []
        var finished: [(row: QueuedTask, path: String, size: Int?)] = []
        /// The error that stopped the batch, if any.
        var failure: (any Error)?
    }

    private func bringToDisk(_ files: [ReadyFile]) async -> Batch {
        var batch = Batch(files: files)
        do {
            for file in files {
                if let path = try await reopen(file, &batch.flushed) { batch.finished.append((file.row, path, nil)) }
            }
            batch.flushed = await flushed(batch.flushed)
        } catch {
            batch.failure = error
        }
        return batch
    }

    private func name(_ batch: Batch) async {
        do {
            if let failure = batch.failure { throw failure }
            let finished = try await batch.finished + move(batch.flushed)
            try await hook.after(.placed)
            if !finished.isEmpty { try await done(finished) }
        } catch {
            for file in batch.flushed { file.part?.close() }
            for file in batch.files where placing[file.row.position] != nil { await notPlaced(file.row, error) }
        }
        for file in batch.files where placing[file.row.position] != nil { placed(file.row) }
    }

    /// Returns the path of a file that was moved to its destination before a crash. Otherwise opens its part and
    /// appends the file to `open`.
    private func reopen(_ file: ReadyFile, _ open: inout [ReadyFile]) async throws -> String? {
        if file.row.path != nil, case .placed(let path) = standing(file.row) {
            file.part?.close()
            return path
        }
        var file = file
        do {
            file.part = try file.part ?? DownloadPart(path: partPath(file.row), mustExist: true)
            open.append(file)
        } catch {
            await fail(file, error)
        }
        return nil
    }

    /// Flushes files to disk, and returns those that succeeded. The others are settled and fetched from the beginning.
    /// After a failed flush, the next one may report success although the bytes are lost.
    ///
    /// Source: fsync(2), ERRORS.
    private func flushed(_ files: [ReadyFile]) async -> [ReadyFile] {
        let entries = files.compactMap { file in file.part.map { (part: $0, task: file.row.task) } }
        let library = library
        let failures = await DownloadPart.flush(entries.map { ($0.part, $0.task.metadata.taken) }) { index in
            library.prepare(entries[index].part, for: entries[index].task)
            entries[index].part.share()
        }
        var whole: [ReadyFile] = []
        for (file, failure) in zip(files, failures) {
            guard let failure else {
                whole.append(file)
                continue
            }
            file.part?.remove()
            try? await store.note(anew: file.row.position)
            await fail(file, failure)
        }
        return whole
    }

    /// Records the destinations of files, and moves them there.
    private func move(_ files: [ReadyFile]) async throws -> [(row: QueuedTask, path: String, size: Int?)] {
        let chosen = try await choosePaths(files)
        guard !chosen.isEmpty else { return [] }
        let areThere = try await store.note(wholeEach: chosen.map { ($0.file.row.position, $0.path) })
        try await hook.after(.wholeNoted)
        var moves: [(file: ReadyFile, part: DownloadPart, path: String)] = []
        for ((file, path), isThere) in zip(chosen, areThere) {
            guard let part = file.part else { continue }
            if isThere { moves.append((file, part, path)) } else { part.remove() }
        }
        let failures = await DownloadPart.publish(moves.map { ($0.part, $0.path) })
        var finished: [(row: QueuedTask, path: String, size: Int?)] = []
        for (move, failure) in zip(moves, failures) {
            switch failure?.code {
            case nil: finished.append((move.file.row, move.path, move.part.count))
            case .fileExists?,
                _ where move.file.row.plainlyNamed != nil:
                // The name was taken just now, or the file system does not accept it.
                do {
                    let file = try await publish(move.file.row, move.part)
                    if let (path, size) = file { finished.append((move.file.row, path, size)) }
                } catch {
                    await fail(move.file, error)
                }
            default: await fail(move.file, failure ?? CancellationError())
            }
        }
        return finished
    }

    private func choosePaths(_ files: [ReadyFile]) async throws -> [(file: ReadyFile, path: String)] {
        var taken: Set<String> = []
        var chosen: [(file: ReadyFile, path: String)] = []
        for file in files {
            do {
                let path = try freePath(for: file.row) { taken.contains($0) }.path
                taken.insert(path)
                chosen.append((file, path))
            } catch {
                await fail(file, error)
            }
        }
        return chosen
    }

    private func fail(_ file: ReadyFile, _ error: any Error) async {
        file.part?.close()
        await notPlaced(file.row, error)
        placed(file.row)
    }
}
