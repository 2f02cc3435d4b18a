import Database
import FoundationEssentials
import HTTPClient
import LatchKit

/// What holds up more than one task, and how it goes on again.
extension DownloadQueue {
    /// Whether nothing at all may begin.
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

    /// Begins a hold and tells it; false when it was there already.
    @discardableResult
    func begin(_ hold: PauseReason) -> Bool {
        guard holds.insert(hold).inserted else { return false }
        if hold.isDisk {
            // A quota is not told by the room that there is: where it is full again at once, the next look is later.
            roomTime =
                fullTimes > 0
                ? now().addingTimeInterval(BackOff.pause(after: fullTimes - 1, chance: hook.chance())) : .distantPast
            fullTimes += 1
        }
        broadcast.send(.held(sentence(hold)))
        return true
    }

    /// Ends holds, and tells what holds things up still, or that nothing does.
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

    /// Whether the queue's file could not be written because its disk is full.
    static func isFull(_ error: any Error) -> Bool { (error as? LatchError)?.code == .storageFull }

    /// Goes on when there is room on the disk again.
    func checkRoom() async {
        if holds.contains(where: \.isDisk), roomTime <= now(), await hasRoom() { end(\.isDisk) }
    }

    /// Waits until the queue's file can be written again, and takes up there what was stopped.
    ///
    /// Nothing runs meanwhile, since nothing that happens could be noted.
    func waitForRoom() async throws {
        begin(.disk(.queue))
        repeat { try await wakes.next() } while try await !isWritable()
        end(\.isDisk)
    }

    private func isWritable() async throws -> Bool {
        guard roomTime <= now(), await hasRoom() else { return false }
        do {
            try await store.takeUpAgain()
            for (position, point) in unnoted { try await store.note(position, resume: point, boot: Self.boot) }
            unnoted = [:]
            return true
        } catch  where Self.isFull(error) {
            return false
        }
    }

    /// Whether there is room for the files and for the queue's database, and the folder is back if it was missing.
    private func hasRoom() async -> Bool {
        // The folder may come back without the hidden one, which is made again then.
        if holds.contains(.disk(.folder)), (try? await prepareFolder()) == nil { return false }
        let database = store.database.path.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
        return [partsFolder, database].allSatisfy { folder in
            folder.flatMap(DownloadPart.freeBytes).map { $0 > DiskSpace.minimumFreeBytes } ?? true
        }
    }
}

extension PauseReason {
    /// Which of several is told: that which holds up most.
    fileprivate var rank: Int {
        switch self {
        case .outside: 0
        case .disk: 1
        case .account: 2
        }
    }
}
