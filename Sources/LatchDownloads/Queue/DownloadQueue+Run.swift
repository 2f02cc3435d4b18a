import Crypto
import FoundationEssentials
import HTTPClient
import LatchKit

extension DownloadQueue {
    /// How often the progress is told, and other programs' commands are looked for.
    private static let beat = Duration.milliseconds(250)
    /// How many tasks of a lane are read at once.
    private static let pageSize = 64

    /// Fetches until nothing is left that can be: everything is done, skipped, failed or paused.
    ///
    /// Waits while everything is held up, as by a full disk. Cancelled, it stops what runs, keeps what has come, and throws
    /// `CancellationError`.
    ///
    /// - Parameter isLasting: Whether to wait for further tasks instead of returning.
    /// - Throws: ``LatchError/Code/storageLocked`` when another program fetches already; the codes of the storage;
    ///   `CancellationError`.
    public func run(isLasting: Bool = false) async throws {
        let lock = try latch.accounts.lockDownloads()
        defer { lock.release() }
        try FolderLibrary.make(partsFolder)
        try await store.takeUp()
        try await removeStrayParts()
        let heart = Task { [wakes] in
            while (try? await Task.sleep(for: Self.beat)) != nil { wakes.wake() }
        }
        defer { heart.cancel() }
        do {
            try await work(isLasting: isLasting)
        } catch {
            await stopAll()
            throw error
        }
        await tellOverall()
    }

    private func work(isLasting: Bool) async throws {
        var seen = -1
        var told = ContinuousClock.now
        var wakeups = wakes.stream.makeAsyncIterator()
        while true {
            try Task.checkCancellation()
            let revision = try await store.revision()
            if revision != seen {
                seen = revision
                try await obey()
                schedule.reset(try await store.lanes())
            } else if running.isEmpty {
                schedule.reset(try await store.lanes())
            }
            try await fill()
            if running.isEmpty, placing.isEmpty, holds.isEmpty, !isLasting, try await isOver() { return }
            if told + Self.beat <= .now {
                told = .now
                await tellProgress()
                checkRoom()
            }
            guard await wakeups.next() != nil else { throw CancellationError() }
        }
    }

    /// Whether nothing waits, also not for its time.
    private func isOver() async throws -> Bool {
        guard try await store.lanes().isEmpty else { return false }
        return running.isEmpty && placing.isEmpty
    }

    /// Starts as many as may run.
    private func fill() async throws {
        while schedule.hasRoom, !isHeld {
            while let (lane, last) = schedule.laneToRead() {
                let tasks = try await store.waiting(in: lane, after: last, now: now(), limit: Self.pageSize)
                schedule.take(tasks, of: lane, asked: Self.pageSize)
            }
            let next = schedule.next { row in
                running[row.position] == nil && placing[row.position] == nil && !isHeld(row.task.account)
            }
            guard let next else { return }
            start(next)
        }
    }

    private var isHeld: Bool {
        holds.contains { hold in
            switch hold {
            case .disk, .outside: true
            case .account: false
            }
        }
    }

    private func isHeld(_ account: UUID) -> Bool {
        holds.contains { hold in
            if case .account(account, _) = hold { true } else { false }
        }
    }

    private func start(_ row: QueuedTask) {
        let fetch = RunningFetch(row)
        running[row.position] = fetch
        fetch.begin(
            Task {
                let (outcome, part) = await self.fetch(row, fetch)
                await self.ended(row, outcome, part)
            })
    }

    /// Stops what other programs, or this one, have taken out of the queue or paused.
    private func obey() async throws {
        for (position, fetch) in running {
            let row = try await store.task(position)
            if row == nil || row?.state == .paused { fetch.stop() }
        }
        // A sign-in makes an account good again: the tasks that waited for it were paused, and are waiting now.
        holds = holds.filter { if case .account = $0 { false } else { true } }
    }

    private func stopAll() async {
        for fetch in running.values { fetch.stop() }
        while !running.isEmpty || !placing.isEmpty {
            await Task.detached { try? await Task.sleep(for: .milliseconds(5)) }.value
        }
    }

    /// Goes on when there is room on the disk again.
    private func checkRoom() {
        guard holds.contains(.disk), DownloadPart.freeBytes(in: partsFolder).map({ $0 > DiskSpace.enough }) ?? true
        else { return }
        holds.remove(.disk)
        broadcast.send(.held(nil))
    }

    private func tellProgress() async {
        for fetch in running.values where fetch.row.task.wantsProgress {
            let progress = fetch.progress
            broadcast.send(.progress(id: fetch.row.task.id, received: progress.received, total: progress.total))
        }
        await tellOverall()
    }

    private func tellOverall() async {
        guard let progress = try? await progress() else { return }
        broadcast.send(.overall(progress))
    }

    /// Removes parts that no open task has: what was cancelled, or belonged to an account that is gone.
    private func removeStrayParts() async throws {
        var names: Set<String> = []
        var last = 0
        while case let rows = try await store.open(after: last, limit: 10_000), let end = rows.last {
            for row in rows { names.insert(PartName.of(row.account, row.id)) }
            last = end.position
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: partsFolder)) ?? []
        where name.hasSuffix(".part") && !names.contains(name) {
            try? FileManager.default.removeItem(atPath: partsFolder + "/" + name)
        }
    }
}

/// What a task's part is called.
enum PartName {
    static func of(_ account: UUID, _ id: String) -> String {
        String(SHA256.digest("\(account.uuidString.lowercased())/\(id)").hexadecimal.prefix(32)) + ".part"
    }
}
