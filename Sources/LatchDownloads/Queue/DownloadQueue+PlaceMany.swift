import FoundationEssentials
import HTTPClient
import LatchKit

/// A file of its own, whole, that is to be put in its place.
struct ReadyFile: Sendable {
    let row: QueuedTask
    /// Its part, where it is open still.
    var part: DownloadPart?
}

/// Files are put in their places many at once, as many as became whole while those before them were: then the disk is
/// waited for once and not for each. The order of steps is the same as for one.
extension DownloadQueue {
    /// How many files are put in their places at once.
    private static let batchSize = 64
    /// Nor more bytes: what is long to write is begun at once.
    private static let batchBytes = 8 << 20
    /// How many may wait for their places before no further transfer begins; each has a file open.
    static let maximumReady = 128

    /// Works until nothing is ready. While the disk takes one batch, the one before gets its names.
    func placeReady() async {
        var naming: Task<Void, Never>?
        while !ready.isEmpty {
            // Cancelled it is never: whoever stops the queue waits for it.
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

    /// Whether the disk should not be made to wait for more: there is a batch, there is nothing more to come, or it is
    /// long to write. Else it waits for the next beat at most.
    var isEnoughReady: Bool {
        running.isEmpty || ready.count >= Self.batchSize || readyBytes >= Self.batchBytes
    }

    /// Files on their way to their places.
    private struct Batch: Sendable {
        var files: [ReadyFile]
        /// Those whose bytes are on the disk.
        var flushed: [ReadyFile] = []
        var finished: [(row: QueuedTask, path: String, size: Int?)] = []
        /// Why no more could be done, if so.
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

    /// Gives a file's path when it is in its place already, since before a crash; else adds it, its part open.
    private func reopen(_ file: ReadyFile, _ open: inout [ReadyFile]) async throws -> String? {
        if file.row.path != nil, case .placed(let path) = standing(file.row) {
            file.part?.close()
            return path
        }
        var file = file
        do {
            file.part = try file.part ?? DownloadPart(path: partPath(file.row), isThere: true)
            open.append(file)
        } catch {
            await fail(file, error)
        }
        return nil
    }

    /// The files whose bytes are on the disk now; the others are settled, and begin anew: what the disk has refused
    /// once it may call written the next time, though it is not.
    ///
    /// Source: fsync(2), ERRORS.
    private func flushed(_ files: [ReadyFile]) async -> [ReadyFile] {
        let entries = files.compactMap { file in file.part.map { (part: $0, task: file.row.task) } }
        let library = library
        let failures = await DownloadPart.flush(entries.map { ($0.part, $0.task.metadata.taken) }) { index in
            library.writeMetadata(entries[index].part, as: entries[index].task)
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

    /// Notes where the files will be, and puts them there.
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
                // Somebody has taken the name just now, or the disk has no such names.
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
