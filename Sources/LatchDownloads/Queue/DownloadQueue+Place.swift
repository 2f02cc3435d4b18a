import FoundationEssentials
import HTTPClient
import LatchKit

/// Whole parts become files.
///
/// The order is what makes a crash harmless: the part's bytes are on the disk, then its path is in the queue's file, then it is
/// moved there, then it is called done. Whoever comes next sees by part, path and file how far that went.
extension DownloadQueue {
    private static let maximumNames = 10_000

    /// Puts a whole part in its place, beside the next transfers.
    func place(_ row: QueuedTask, _ part: DownloadPart?) {
        placing[row.position] = (row, part?.count ?? 0)
        if row.task.metadata.liveID == nil {
            ready.append(ReadyFile(row: row, part: part))
            readyBytes += part?.count ?? 0
            if placer == nil { placer = Task { await self.placeReady() } } else if isEnoughReady { enough.wake() }
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
        if running[row.position] == nil { underWay.remove(row.key) }
        schedule.left(row)
        startNext()
        if !isBusy { wakes.wake() }
    }

    func notPlaced(_ row: QueuedTask, _ error: any Error) async {
        if (error as? LatchError)?.code.isOfStorage ?? false {
            // The queue's file is at fault and not the task: its part stays, and the next start takes it up.
            broken = error
            return
        }
        switch FetchOutcome(error, account: row.task.account) {
        case .stopped, .whole: break
        case .held(let hold):
            await settle(row, .held(hold), nil)
            try? await putBackOther(row)
        case .failed(let reason), .again(let reason, _), .spoilt(let reason), .gone(let reason):
            await settle(row, .failed(reason), nil)
        case .outage(let trouble): await settle(row, .failed(trouble.reason), nil)
        }
    }

    private func putBackOther(_ row: QueuedTask) async throws {
        if let partner = try await store.partner(of: row), partner.isWhole { try await store.putBack(partner.position) }
    }

    func done(_ files: [(row: QueuedTask, path: String, size: Int?)]) async throws {
        let (library, tasks) = (library, files.map { ($0.row.task, $0.path) })
        try await store.note(done: files.map { ($0.row.position, $0.path, $0.size) }) { connection in
            for (task, path) in tasks { try library.note(task, at: path, in: connection) }
        }
        fullTimes = 0
        for file in files {
            broadcast.send(.status(id: file.row.task.id, .done))
            broadcast.send(.complete(id: file.row.task.id, path: file.path))
        }
    }

    /// A task's file in its place and its length; nil when it was cancelled meanwhile.
    func publish(_ row: QueuedTask, _ open: DownloadPart?) async throws -> (path: String, size: Int?)? {
        if case .placed(let path) = standing(row) { return (path, nil) }
        let part = try open ?? DownloadPart(path: partPath(row), isThere: true)
        defer { part.close() }
        try await make(part, fit: row)
        return try await withPlainNames(row.plainlyNamed != nil) { isPlain in
            try await self.put(part, isPlain ? row.plainlyNamed ?? row : row)
        }
    }

    private func put(_ part: DownloadPart, _ row: QueuedTask) async throws -> (path: String, size: Int?)? {
        while true {
            let path = try freePath(for: row)
            guard try await store.note(whole: [(row.position, path)]) else {
                part.remove()
                return nil
            }
            try await hook.after(.wholeNoted)
            if try await move(part, path) { return (path, part.count) }
        }
    }

    /// Puts files in their places; where the file system refuses, once more under names of ASCII alone: FAT may take no others.
    private func withPlainNames<Value>(
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

    /// A path where nothing is.
    func freePath(for row: QueuedTask, _ isTaken: (String) -> Bool = { _ in false }) throws -> String {
        for attempt in 0..<Self.maximumNames {
            let path = try library.destination(of: row.task, attempt: attempt)
            if !isTaken(path), !Self.isThere(path) { return path }
        }
        throw noName(row)
    }

    private func make(_ part: DownloadPart, fit row: QueuedTask) async throws {
        library.dress(part, as: row.task)
        do {
            try await part.flush(modified: row.task.metadata.taken)
        } catch {
            // What the disk has refused once it may call written the next time, though it is not.
            part.remove()
            if part.path == partPath(row) { try await store.note(anew: row.position) }
            throw error
        }
    }

    /// Whether the name was free.
    private func move(_ part: DownloadPart, _ path: String) async throws -> Bool {
        do {
            try await part.publish(as: path)
            return true
        } catch let error as TransportError where error.code == .fileExists {
            return false
        }
    }

    private func noName(_ row: QueuedTask) -> LatchError {
        LatchError(
            .fileFailed,
            "Could not find a free name for '\(SafeFileName(row.task.filename))' in '\(library.folder)'. Clear up there."
        )
    }

    // MARK: - Live photos

    /// Waits with a live photo's first part for its second, then puts both in their places.
    private func placeHalf(_ row: QueuedTask, _ open: DownloadPart?) async throws {
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
            // Where a file system cannot rename without replacing, the one file has both names for a moment.
            if DownloadPart.isSameFile(joinedPath(still), path) {
                try FileManager.default.removeItem(atPath: joinedPath(still))
            }
            if !Self.isThere(joinedPath(still)) { return try await doneJoined(still, film, path) }
        }
        let standings = (standing(still), standing(film))
        for (row, standing) in [(still, standings.0), (film, standings.1)] where standing == .missing {
            // Somebody has removed it: it is fetched again, and the other one waits for it.
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

    /// Puts a live photo in its place as one file; false where this library keeps it as two.
    private func placeJoined(_ still: QueuedTask, _ film: QueuedTask) async throws -> Bool {
        let (first, second) = try (
            DownloadPart(path: partPath(still), isThere: true), DownloadPart(path: partPath(film), isThere: true)
        )
        let joined = try await library.join(still: first, film: second, of: still.task, into: joinedPath(still))
        first.close()
        second.close()
        guard let joined else { return false }
        defer { joined.close() }
        try await make(joined, fit: still)
        try await hook.after(.joined)
        try await withPlainNames(still.plainlyNamed != nil) { isPlain in
            try await self.place(joined, of: isPlain ? still.plainlyNamed ?? still : still, with: film)
        }
        return true
    }

    private func place(_ joined: DownloadPart, of still: QueuedTask, with film: QueuedTask) async throws {
        var task = still.task
        task.filename = library.joinedName(task.filename)
        for attempt in 0..<Self.maximumNames {
            let path = try library.destination(of: task, attempt: attempt)
            guard !Self.isThere(path) else { continue }
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

    /// Puts a live photo in its place as two files with one base name.
    private func placeTwo(_ still: QueuedTask, _ film: QueuedTask) async throws {
        var second = film.task
        second.filename = String(SafeFileName(still.task.filename).stem + SafeFileName(film.task.filename).ending)
        for attempt in 0..<Self.maximumNames {
            let paths = try (
                library.destination(of: still.task, attempt: attempt), library.destination(of: second, attempt: attempt)
            )
            // FAT and others take both cases of a letter for one.
            guard paths.0.lowercased() != paths.1.lowercased(), isFree(paths.0, for: still), isFree(paths.1, for: film)
            else { continue }
            // A file that is in its place under another name, since a crash, goes back first.
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
                // Nothing half is kept, also where the file system refuses the second.
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
        standing(row) == .placed(path) || !Self.isThere(path)
    }

    /// Brings a part to the path that is noted; false when that is another's.
    private func moved(_ row: QueuedTask) async throws -> Bool {
        guard let path = row.path, standing(row) == .part else { return true }
        do {
            let part = try DownloadPart(path: partPath(row), isThere: true)
            defer { part.close() }
            return try await move(part, path)
        } catch let error as TransportError {
            throw HalfNotPlaced(row: row, error: error)
        }
    }

    /// Makes a part again of a file that was in its place already.
    private func putAway(_ row: QueuedTask) throws {
        guard case .placed(let path) = standing(row) else { return }
        try FileManager.default.moveItem(atPath: path, toPath: partPath(row))
    }

    /// One of the two was cancelled: nothing half is kept.
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

/// Which part of a live photo could not be put in its place; the other one is not at fault.
private struct HalfNotPlaced: Error {
    let row: QueuedTask
    let error: TransportError
}
