import FoundationEssentials
import HTTPClient
import LatchKit

extension DownloadQueue {
    /// How many more tries a file that came wrong gets from its beginning.
    private static let spoiltRetries = 1
    /// The first pause before another try; each further one is twice as long.
    private static let firstPause = 1.0
    private static let longestPause = 60.0

    /// Decides what becomes of a task after a try.
    func ended(_ row: QueuedTask, _ outcome: FetchOutcome, _ part: DownloadPart?) async {
        do {
            switch outcome {
            case .whole:
                if let part { return place(row, part) }
            case .gone(let reason): try await finish(row, .skipped(reason), part)
            case .failed(let reason): try await finish(row, .failed(reason), part)
            case .again(let reason, let wait): try await tryAgain(row, reason, wait, part, attempts: settings.retries)
            case .spoilt(let reason):
                part?.remove()
                try await store.note(row.position, resume: nil, boot: nil)
                try await tryAgain(row, reason, nil, nil, attempts: Self.spoiltRetries)
            case .held(let hold): try await holdUp(row, hold, part)
            case .stopped: try await stopped(row, part)
            }
        } catch {
            // The row says "running"; the next start takes it up.
            part?.close()
        }
        leave(row)
    }

    private func leave(_ row: QueuedTask) {
        guard running.removeValue(forKey: row.position) != nil else { return }
        schedule.ended(row.lane)
        wakes.wake()
    }

    private func tryAgain(
        _ row: QueuedTask, _ reason: String, _ wait: Duration?, _ part: DownloadPart?, attempts: Int
    ) async throws {
        guard row.attempts < attempts else {
            return try await finish(row, .failed("\(reason) It was tried \(row.attempts + 1) times."), part)
        }
        part?.close()
        let pause = min(Self.firstPause * pow(2, row.attempts), Self.longestPause) * Double.random(in: 0.5...1.5)
        let told = wait.map { Double($0.components.seconds) } ?? 0
        let time = now().addingTimeInterval(max(pause, told))
        try await store.note(row.position, .waiting, attempts: row.attempts + 1, notBefore: time)
        broadcast.send(.status(id: row.task.id, .waiting))
    }

    private func pow(_ base: Double, _ exponent: Int) -> Double {
        (0..<exponent).reduce(1) { value, _ in value * base }
    }

    /// Ends a task without a file. The other part of a live photo ends with it: nothing half is kept.
    ///
    /// Source: DL-6.
    private func finish(_ row: QueuedTask, _ state: DownloadState, _ part: DownloadPart?) async throws {
        part?.remove()
        try await store.note(row.position, state)
        tell(row, state)
        guard case .failed = state, let partner = try await store.partner(of: row), partner.isWhole else { return }
        let why = DownloadState.failed("The other part of this live photo could not be fetched.")
        try? FileManager.default.removeItem(
            atPath: partsFolder + "/" + PartName.of(partner.task.account, partner.task.id))
        try await store.note(partner.position, why)
        tell(partner, why)
    }

    private func tell(_ row: QueuedTask, _ state: DownloadState) {
        broadcast.send(.status(id: row.task.id, state))
        if let reason = state.reason { broadcast.send(.error(id: row.task.id, reason)) }
    }

    private func holdUp(_ row: QueuedTask, _ hold: Hold, _ part: DownloadPart?) async throws {
        part?.close()
        try await store.note(row.position, .waiting)
        broadcast.send(.status(id: row.task.id, .waiting))
        if case .account(let account, _) = hold { try await store.pause(account: account) }
        if holds.insert(hold).inserted { broadcast.send(.held(hold.sentence(library.folder))) }
        guard hold == .disk else { return }
        for fetch in running.values where fetch.row.position != row.position { fetch.stop() }
    }

    private func stopped(_ row: QueuedTask, _ part: DownloadPart?) async throws {
        switch try await store.task(row.position)?.state {
        case nil: part?.remove()
        case .running:
            part?.close()
            try await store.note(row.position, .waiting)
            broadcast.send(.status(id: row.task.id, .waiting))
        case .paused:
            part?.close()
            broadcast.send(.status(id: row.task.id, .paused))
        default: part?.close()
        }
    }

    // MARK: - A whole part becomes a file

    /// Puts a whole part in its place, beside the next transfers.
    private func place(_ row: QueuedTask, _ part: DownloadPart) {
        placing[row.position] = Task {
            do {
                try await self.placeNow(row, part)
            } catch {
                let outcome = FetchOutcome(error, account: row.task.account)
                await self.notPlaced(row, outcome, part)
            }
            self.placed(row)
        }
        leave(row)
    }

    private func placed(_ row: QueuedTask) {
        placing[row.position] = nil
        wakes.wake()
    }

    private func notPlaced(_ row: QueuedTask, _ outcome: FetchOutcome, _ part: DownloadPart) async {
        switch outcome {
        case .held(let hold): try? await holdUp(row, hold, part)
        case .stopped: part.close()
        case .failed(let reason), .again(let reason, _), .spoilt(let reason), .gone(let reason):
            try? await finish(row, .failed(reason), part)
        case .whole: break
        }
    }

    private func placeNow(_ row: QueuedTask, _ part: DownloadPart) async throws {
        guard row.task.metadata.liveID == nil else { return try await placePair(row, part) }
        let path = try await publish(part, row)
        let (task, library) = (row.task, library)
        try await hook.after(.placed)
        try await store.note(done: [(row.position, path)]) { try library.note(task, at: path, in: $0) }
        try await hook.after(.doneNoted)
        tellDone(row, path)
    }

    /// Notes where the file will be, then puts it there: after a crash between the two the next start finds it.
    private func publish(_ part: DownloadPart, _ row: QueuedTask) async throws -> String {
        library.dress(part, as: row.task)
        var attempt = 0
        while true {
            let path = try library.destination(of: row.task, attempt: attempt)
            try await store.note(whole: [(row.position, path)])
            try await hook.after(.wholeNoted)
            do {
                try await part.publish(as: path, modified: row.task.metadata.taken)
                return path
            } catch let error as TransportError where error.code == .fileExists && attempt < 10_000 {
                attempt += 1
            }
        }
    }

    /// Waits with a live photo's first part for its second, then puts both in their places.
    private func placePair(_ row: QueuedTask, _ part: DownloadPart) async throws {
        try await part.flush()
        try await store.note(whole: [(row.position, nil)])
        try await hook.after(.wholeNoted)
        guard let partner = try await store.partner(of: row), partner.isWhole, placing[partner.position] == nil else {
            part.close()
            return
        }
        let other = try DownloadPart(path: partsFolder + "/" + PartName.of(partner.task.account, partner.task.id))
        try await placePair(
            row.task.metadata.part == .video ? (partner, other) : (row, part),
            row.task.metadata.part == .video ? (row, part) : (partner, other))
    }

    private func placePair(
        _ still: (row: QueuedTask, part: DownloadPart), _ film: (row: QueuedTask, part: DownloadPart)
    ) async throws {
        let library = library
        let (first, second) = (still.row.task, film.row.task)
        if let joined = try await library.join(still: still.part, film: film.part, of: first) {
            let path = try await publish(joined, still.row)
            still.part.remove()
            film.part.remove()
            try await store.note(done: [(still.row.position, path), (film.row.position, path)]) { connection in
                try library.note(first, at: path, in: connection)
                try library.note(second, at: path, in: connection)
            }
            tellDone(still.row, path)
            return tellDone(film.row, path)
        }
        let stillPath = try await publish(still.part, still.row)
        let filmPath = try await publish(film.part, film.row)
        try await hook.after(.placed)
        try await store.note(done: [(still.row.position, stillPath), (film.row.position, filmPath)]) { connection in
            try library.note(first, at: stillPath, in: connection)
            try library.note(second, at: filmPath, in: connection)
        }
        tellDone(still.row, stillPath)
        tellDone(film.row, filmPath)
    }

    private func tellDone(_ row: QueuedTask, _ path: String) {
        broadcast.send(.status(id: row.task.id, .done))
        broadcast.send(.complete(id: row.task.id, path: path))
    }
}
