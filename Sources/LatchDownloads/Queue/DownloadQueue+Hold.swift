import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// Reasons that hold up more than one task, and how they end.
extension DownloadQueue {
    /// Whether no task at all may start.
    var isHeld: Bool {
        holds.contains { hold in
            switch hold {
            case .disk, .outside: true
            case .account: false
            }
        }
    }

    func isHeld(_ account: UUID) -> Bool {
        holds.contains { hold in
            if case .account(account, _) = hold { true } else { false }
        }
    }

    /// Starts a hold and reports it. Returns false when the same hold is active already.
    @discardableResult
    func begin(_ hold: PauseReason) -> Bool {
        guard holds.insert(hold).inserted else { return false }
        if hold.isDisk {
            // Free space does not reveal a quota. When the disk is full again at once, the next check comes later.
            nextSpaceCheck =
                fullTimes > 0
                ? now().addingTimeInterval(BackOff.pause(after: fullTimes - 1, chance: hook.chance())) : .distantPast
            fullTimes += 1
        }
        broadcast.send(.held(sentence(hold)))
        return true
    }

    /// Ends holds. Reports the remaining hold, or that there is none.
    func end(_ isOver: (PauseReason) -> Bool) {
        let ended = holds.filter(isOver)
        guard !ended.isEmpty else { return }
        holds.subtract(ended)
        tellHolds()
    }

    func tellHolds() {
        let rest = holds.map { (rank: $0.rank, sentence: sentence($0)) }.sorted { $0 < $1 }
        broadcast.send(.held(rest.first?.sentence ?? outages.sentence))
    }

    private func sentence(_ hold: PauseReason) -> String {
        hold.sentence(folder: library.folder, database: store.database.path ?? "")
    }

    // MARK: - A full disk

    /// Whether the database could not be written because its disk is full.
    static func isFull(_ error: any Error) -> Bool { (error as? LatchError)?.code == .storageFull }

    /// Ends the holds of a full disk when it has room again.
    func checkRoom() async {
        if holds.contains(where: \.isDisk), nextSpaceCheck <= now(), await hasRoom() { end(\.isDisk) }
    }

    /// Waits until the database can be written again, then records what could not be recorded before.
    ///
    /// No task runs meanwhile, because its end could not be recorded.
    func waitForRoom() async throws {
        begin(.disk(.queue))
        repeat { try await wakes.next() } while try await !isWritable()
        end(\.isDisk)
    }

    private func isWritable() async throws -> Bool {
        guard nextSpaceCheck <= now(), await hasRoom() else { return false }
        do {
            try await store.takeUpAgain()
            for (position, point) in unrecordedResumePoints {
                try await store.note(position, resume: point, boot: Self.boot)
            }
            unrecordedResumePoints = [:]
            return true
        } catch  where Self.isFull(error) {
            return false
        }
    }

    /// Whether there is room for the files and for the database, and a missing folder is back.
    private func hasRoom() async -> Bool {
        // The folder may come back without the hidden folder for parts, which is then created again.
        if holds.contains(.disk(.folder)), (try? await prepareFolder()) == nil { return false }
        let database = store.database.path.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return [partsFolder, database].allSatisfy { folder in
            folder.flatMap(DownloadPart.freeBytes).map { $0 > DiskSpace.minimumFreeBytes } ?? true
        }
    }
}

extension PauseReason {
    /// The order in which holds are reported when there are several: the one that affects most tasks first.
    fileprivate var rank: Int {
        switch self {
        case .outside: 0
        case .disk: 1
        case .account: 2
        }
    }
}
