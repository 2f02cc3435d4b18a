import FoundationEssentials
import HTTPClient
import LatchKit

/// An error that names the part of a live photo that could not be moved. The other part is not at fault.
struct PairMoveError: Error {
    let row: QueuedTask
    let error: TransportError
}

/// Puts both parts of a live photo at their destinations, as a pair or as one file, or neither.
///
/// Source: DL-6.
extension FilePlacer {
    /// What became of a complete part of a live photo.
    enum PairResult: Sendable {
        /// Both tasks are done.
        case done
        /// The part waits for the other one, its task was removed, or another call handles the live photo.
        case waits
        /// These parts must fail, because their other parts could not be downloaded.
        case failed([FailedHalf])
    }

    /// A part of a live photo without the other one.
    struct FailedHalf: Sendable {
        var row: QueuedTask
        var other: QueuedTask?
        /// Whether the received bytes are kept, so that a retry can resume.
        var keepsPart = false
    }

    /// Records that a part of a live photo is complete. When both are, puts them at their destinations.
    func placeHalf(_ file: ReadyFile) async throws -> PairResult {
        let row = file.row
        if let open = file.part {
            try await prepare(open, for: row)
            // Unlocked before the record: from then on, the call for the other part may open and lock both parts.
            open.close()
        }
        let recorded = try await store.record(half: row)
        try await context.hook.after(.partRecorded)
        guard recorded.isThere else {
            try? FileManager.default.removeItem(atPath: folder.partPath(row))
            return .waits
        }
        guard let partner = recorded.partner else { return .waits }
        guard !partner.state.isOver || partner.state == .done else {
            return .failed([FailedHalf(row: row, other: partner, keepsPart: partner.resume != nil)])
        }
        guard partner.isWhole, let live = row.task.metadata.liveID else { return .waits }
        let pair = "\(row.task.account)/\(live)"
        guard claim(pair) else { return .waits }
        defer { unclaim(pair) }
        // Read again after the claim, because the call for the other part may have placed both files before it.
        guard let current = try await store.task(row.position), current.state != .done else { return .waits }
        let isVideo = row.task.metadata.part == .video
        return try await place(isVideo ? partner : current, isVideo ? current : partner)
    }

    private func place(_ still: QueuedTask, _ video: QueuedTask) async throws -> PairResult {
        if let path = try placedJoined(still, video) { return try await finishJoined(still, with: video, at: path) }
        let standings = (folder.placementState(still), folder.placementState(video))
        for (row, placementState) in [(still, standings.0), (video, standings.1)] where placementState == .missing {
            // Both part and file were removed. The part is fetched again, and the other one waits for it.
            try await store.recordRestart(row.position)
            try await store.putBack(row.position)
        }
        switch standings {
        case (.missing, _), (_, .missing): return .waits
        case (.part, .part): if let result = try await placeJoined(still, video) { return result }
        default: break
        }
        return try await withPlainNames(still.plainlyNamed != nil || video.plainlyNamed != nil) { isPlain in
            try await self.placeTwo(
                isPlain ? still.plainlyNamed ?? still : still, isPlain ? video.plainlyNamed ?? video : video)
        }
    }

    /// Completes the move of a live photo that was not recorded, or undoes it.
    func completePair(_ row: QueuedTask) async throws {
        guard let row = try await store.task(row.position), !row.state.isOver,
            let partner = try await store.partner(of: row)
        else { return }
        let (still, video) = row.task.metadata.part == .video ? (partner, row) : (row, partner)
        if let path = try placedJoined(still, video) {
            _ = try await finishJoined(still, with: video, at: path)
        } else if case (.placed(let first), .placed(let second)) = (
            folder.placementState(still), folder.placementState(video)
        ), first != second {
            let files = [PlacedFile(row: still, path: first), PlacedFile(row: video, path: second)]
            try await finish(files, isPair: true)
        } else {
            try moveBack(row)
        }
    }

    /// Returns the path of a live photo that was put at its destination as one file.
    private func placedJoined(_ still: QueuedTask, _ video: QueuedTask) throws -> String? {
        // Both rows have the same path only when a joined file was recorded, and a crash or an error followed.
        guard let path = still.path, path == video.path, DownloadFolder.exists(path) else { return nil }
        // On a file system that cannot rename without replacing, the joined file has both names for a moment.
        if DownloadPart.isSameFile(folder.joinedPath(still), path) {
            try FileManager.default.removeItem(atPath: folder.joinedPath(still))
        }
        // While the joined part still exists, it was not moved, and the path has a different file.
        return DownloadFolder.exists(folder.joinedPath(still)) ? nil : path
    }

    /// Puts a live photo at its destination as one file. Returns nil when this library keeps it as two.
    private func placeJoined(_ still: QueuedTask, _ video: QueuedTask) async throws -> PairResult? {
        guard let library = library as? any IndexedLibrary else { return nil }
        let (first, second) = try (
            DownloadPart(path: folder.partPath(still), mustExist: true),
            DownloadPart(path: folder.partPath(video), mustExist: true)
        )
        let joined = try await library.join(still: first, video: second, of: still.task, into: folder.joinedPath(still))
        // Also when nothing was joined, because the parts are then opened and locked again to move them.
        first.close()
        second.close()
        guard let joined else { return nil }
        defer { joined.close() }
        try await prepare(joined, for: still)
        try await context.hook.after(.joined)
        return try await withPlainNames(still.plainlyNamed != nil) { isPlain in
            let still = isPlain ? still.plainlyNamed ?? still : still
            return try await self.place(joined, named: library.joinedName(still.task.filename), of: still, with: video)
        }
    }

    private func place(
        _ joined: DownloadPart, named name: String, of still: QueuedTask, with video: QueuedTask
    ) async throws -> PairResult {
        var task = still.task
        task.filename = name
        for attempt in 0..<Self.maximumNames {
            try checkStop()
            let path = try library.destination(of: task, attempt: attempt)
            guard !DownloadFolder.isTaken(path) else { continue }
            guard try await store.record(whole: [(still.position, path), (video.position, path)]) else {
                joined.remove()
                return .waits
            }
            try await context.hook.after(.fileRecorded)
            guard try await move(joined, to: path) else { continue }
            try await context.hook.after(.placed)
            return try await finishJoined(still, with: video, at: path)
        }
        throw noName(still)
    }

    private func finishJoined(
        _ still: QueuedTask, with video: QueuedTask, at path: String
    ) async throws -> PairResult {
        // Not earlier: until the joined file is at its path, the parts are needed to join them again after a crash.
        for row in [still, video] { try? FileManager.default.removeItem(atPath: folder.partPath(row)) }
        try await finish([PlacedFile(row: still, path: path), PlacedFile(row: video, path: path)], isPair: true)
        return .done
    }

    /// Puts a live photo at its destination as two files with one base name.
    private func placeTwo(_ still: QueuedTask, _ video: QueuedTask) async throws -> PairResult {
        var second = video.task
        second.filename = String(SafeFileName(still.task.filename).stem + SafeFileName(video.task.filename).ending)
        for attempt in 0..<Self.maximumNames {
            try checkStop()
            let paths = try (
                library.destination(of: still.task, attempt: attempt), library.destination(of: second, attempt: attempt)
            )
            // FAT and some other file systems ignore case.
            guard paths.0.lowercased() != paths.1.lowercased(), isFree(paths.0, for: still), isFree(paths.1, for: video)
            else { continue }
            // A file that was moved to another name before a crash is moved back first.
            for (row, path) in [(still, paths.0), (video, paths.1)] where row.path != path { try moveBack(row) }
            guard try await store.record(whole: [(still.position, paths.0), (video.position, paths.1)]) else {
                return try await abandon(still, video)
            }
            try await context.hook.after(.fileRecorded)
            let (first, other) = (moving(still, paths.0), moving(video, paths.1))
            guard try await moved(first) else { continue }
            try await context.hook.after(.firstPlaced)
            do {
                // Both names must have the same number, so the first file is moved back before the next number.
                guard try await moved(other) else {
                    try moveBack(first)
                    continue
                }
            } catch {
                // A live photo is never kept in part, even when the file system refuses the second file.
                try? moveBack(first)
                throw error
            }
            try await context.hook.after(.placed)
            let files = [PlacedFile(row: first, path: paths.0), PlacedFile(row: other, path: paths.1)]
            try await finish(files, isPair: true)
            return .done
        }
        throw noName(still)
    }

    /// Returns a task with its new destination.
    private func moving(_ row: QueuedTask, _ path: String) -> QueuedTask {
        var row = row
        row.path = path
        return row
    }

    private func isFree(_ path: String, for row: QueuedTask) -> Bool {
        folder.placementState(row) == .placed(path) || !DownloadFolder.isTaken(path)
    }

    /// Moves a part to its recorded path. Returns false when another file has that name.
    private func moved(_ row: QueuedTask) async throws -> Bool {
        guard let path = row.path, folder.placementState(row) == .part else { return true }
        do {
            let part = try DownloadPart(path: folder.partPath(row), mustExist: true)
            defer { part.close() }
            return try await move(part, to: path)
        } catch let error as TransportError {
            throw PairMoveError(row: row, error: error)
        }
    }

    /// Moves a file from its destination back to its part.
    private func moveBack(_ row: QueuedTask) throws {
        guard case .placed(let path) = folder.placementState(row) else { return }
        try FileManager.default.moveItem(atPath: path, toPath: folder.partPath(row))
    }

    /// Removes both parts after one of the tasks was cancelled. A live photo is never kept in part.
    private func abandon(_ still: QueuedTask, _ video: QueuedTask) async throws -> PairResult {
        for row in [still, video] {
            try? moveBack(row)
            try? FileManager.default.removeItem(atPath: folder.partPath(row))
        }
        var failed: [FailedHalf] = []
        for (row, other) in [(still, video), (video, still)] where try await store.task(row.position) != nil {
            failed.append(FailedHalf(row: row, other: other))
        }
        return .failed(failed)
    }
}
