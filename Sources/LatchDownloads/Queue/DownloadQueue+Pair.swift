import FoundationEssentials
import HTTPClient
import LatchKit

/// Puts both parts of a live photo at their destinations, as a pair or as one file, or neither.
///
/// Source: DL-6.
extension DownloadQueue {
    /// Waits until both parts of a live photo are complete, then puts them at their destinations.
    func placeHalf(_ row: QueuedTask, _ open: DownloadPart?) async throws {
        if let open {
            try await make(open, fit: row)
            open.close()
        }
        let noted = try await store.note(half: row)
        try await hook.after(.halfNoted)
        guard noted.isThere else {
            try? FileManager.default.removeItem(atPath: partPath(row))
            return
        }
        guard let partner = noted.partner else { return }
        guard !partner.state.isOver || partner.state == .done else {
            return try await failHalf(row, without: partner, keepsPart: partner.resume != nil)
        }
        guard partner.isWhole, let live = row.task.metadata.liveID else { return }
        let key = "\(row.task.account)/\(live)"
        guard pairs.insert(key).inserted else { return }
        defer { pairs.remove(key) }
        guard let current = try await store.task(row.position), current.state != .done else { return }
        try await placePair(
            row.task.metadata.part == .video ? partner : current, row.task.metadata.part == .video ? current : partner)
    }

    private func placePair(_ still: QueuedTask, _ film: QueuedTask) async throws {
        if let path = still.path, path == film.path, Self.isThere(path) {
            // On a file system that cannot rename without replacing, the joined file has both names for a moment.
            if DownloadPart.isSameFile(joinedPath(still), path) {
                try FileManager.default.removeItem(atPath: joinedPath(still))
            }
            if !Self.isThere(joinedPath(still)) { return try await doneJoined(still, film, path) }
        }
        let standings = (standing(still), standing(film))
        for (row, standing) in [(still, standings.0), (film, standings.1)] where standing == .missing {
            // Both part and file were removed. The part is fetched again, and the other one waits for it.
            try await store.note(anew: row.position)
            try await store.putBack(row.position)
        }
        switch standings {
        case (.missing, _), (_, .missing): return
        case (.part, .part): if try await placeJoined(still, film) { return }
        default: break
        }
        try await withPlainNames(still.plainlyNamed != nil || film.plainlyNamed != nil) { isPlain in
            try await self.placeTwo(
                isPlain ? still.plainlyNamed ?? still : still, isPlain ? film.plainlyNamed ?? film : film)
        }
    }

    /// Puts a live photo at its destination as one file. Returns false when this library keeps it as two.
    private func placeJoined(_ still: QueuedTask, _ film: QueuedTask) async throws -> Bool {
        guard let library = library as? any IndexedLibrary else { return false }
        let (first, second) = try (
            DownloadPart(path: partPath(still), mustExist: true), DownloadPart(path: partPath(film), mustExist: true)
        )
        let joined = try await library.join(still: first, film: second, of: still.task, into: joinedPath(still))
        first.close()
        second.close()
        guard let joined else { return false }
        defer { joined.close() }
        try await make(joined, fit: still)
        try await hook.after(.joined)
        try await withPlainNames(still.plainlyNamed != nil) { isPlain in
            let still = isPlain ? still.plainlyNamed ?? still : still
            try await self.place(joined, named: library.joinedName(still.task.filename), of: still, with: film)
        }
        return true
    }

    private func place(
        _ joined: DownloadPart, named name: String, of still: QueuedTask, with film: QueuedTask
    ) async throws {
        var task = still.task
        task.filename = name
        for attempt in 0..<Self.maximumNames {
            try checkStop()
            let path = try library.destination(of: task, attempt: attempt)
            guard !Self.isTaken(path) else { continue }
            guard try await store.note(whole: [(still.position, path), (film.position, path)]) else {
                return joined.remove()
            }
            try await hook.after(.wholeNoted)
            guard try await move(joined, path) else { continue }
            try await hook.after(.placed)
            return try await doneJoined(still, film, path)
        }
        throw noName(still)
    }

    private func doneJoined(_ still: QueuedTask, _ film: QueuedTask, _ path: String) async throws {
        for row in [still, film] { try? FileManager.default.removeItem(atPath: partPath(row)) }
        try await done([(still, path, nil), (film, path, nil)])
    }

    /// Puts a live photo at its destination as two files with one base name.
    private func placeTwo(_ still: QueuedTask, _ film: QueuedTask) async throws {
        var second = film.task
        second.filename = String(SafeFileName(still.task.filename).stem + SafeFileName(film.task.filename).ending)
        for attempt in 0..<Self.maximumNames {
            try checkStop()
            let paths = try (
                library.destination(of: still.task, attempt: attempt), library.destination(of: second, attempt: attempt)
            )
            // FAT and some other file systems ignore case.
            guard paths.0.lowercased() != paths.1.lowercased(), isFree(paths.0, for: still), isFree(paths.1, for: film)
            else { continue }
            // A file that was moved to another name before a crash is moved back first.
            for (row, path) in [(still, paths.0), (film, paths.1)] where row.path != path { try putAway(row) }
            guard try await store.note(whole: [(still.position, paths.0), (film.position, paths.1)]) else {
                return try await giveUp(still, film)
            }
            try await hook.after(.wholeNoted)
            let (first, other) = (noted(still, paths.0), noted(film, paths.1))
            guard try await moved(first) else { continue }
            try await hook.after(.firstPlaced)
            do {
                guard try await moved(other) else {
                    try putAway(first)
                    continue
                }
            } catch {
                // A live photo is never kept in part, even when the file system refuses the second file.
                try? putAway(first)
                throw error
            }
            try await hook.after(.placed)
            return try await done([(first, paths.0, nil), (other, paths.1, nil)])
        }
        throw noName(still)
    }

    private func noted(_ row: QueuedTask, _ path: String) -> QueuedTask {
        var row = row
        row.path = path
        return row
    }

    private func isFree(_ path: String, for row: QueuedTask) -> Bool {
        standing(row) == .placed(path) || !Self.isTaken(path)
    }

    /// Moves a part to its recorded path. Returns false when another file has that name.
    private func moved(_ row: QueuedTask) async throws -> Bool {
        guard let path = row.path, standing(row) == .part else { return true }
        do {
            let part = try DownloadPart(path: partPath(row), mustExist: true)
            defer { part.close() }
            return try await move(part, path)
        } catch let error as TransportError {
            throw HalfNotPlaced(row: row, error: error)
        }
    }

    /// Moves a file from its destination back to its part.
    private func putAway(_ row: QueuedTask) throws {
        guard case .placed(let path) = standing(row) else { return }
        try FileManager.default.moveItem(atPath: path, toPath: partPath(row))
    }

    /// Removes both parts after one of the tasks was cancelled. A live photo is never kept in part.
    private func giveUp(_ still: QueuedTask, _ film: QueuedTask) async throws {
        for row in [still, film] {
            try? putAway(row)
            try? FileManager.default.removeItem(atPath: partPath(row))
        }
        for (row, other) in [(still, film), (film, still)] where try await store.task(row.position) != nil {
            try await failHalf(row, without: other)
        }
    }
}
