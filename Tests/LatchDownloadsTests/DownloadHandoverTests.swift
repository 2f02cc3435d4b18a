import FoundationEssentials
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// What one program leaves to another on the same queue is fetched, and goes where it was chosen for.
@Suite(.timeLimit(.minutes(20)))
struct DownloadHandoverTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    @Test("Files that another program adds at the very end of a run are downloaded by that run")
    func addedAtEnd() async throws {
        let other = try await fixture.otherProgram()
        let task = fixture.task("late")
        let isAdded = Mutex(false)
        let wasRunning = Mutex(false)
        let hook = DownloadHook(beforeRelease: {
            let wasAdded = isAdded.withLock { isAdded in
                defer { isAdded = true }
                return isAdded
            }
            guard !wasAdded else { return }
            _ = try? await other.add([task])
            wasRunning.withLock { $0 = (try? other.isRunningSomewhere()) ?? false }
        })
        let queue = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { .now }, hook: hook
        )
        try await queue.add([fixture.task("first")])
        try await queue.run()
        #expect(wasRunning.withLock { $0 })
        #expect(try fixture.files() == ["first.jpg", "late.jpg"])
        #expect(try !queue.isRunningSomewhere())
    }

    @Test(
        "Files that are added at the end of a run are downloaded, even if another program locks the queue briefly"
    )
    func addedAtEndWhileLocked() async throws {
        let other = try await fixture.otherProgram()
        let (late, latch) = (fixture.task("late"), fixture.latch)
        let isAdded = Mutex(false)
        let hook = DownloadHook(
            beforeRelease: {
                guard !isAdded.withLock({ $0 }) else { return }
                _ = try? await other.add([late])
            },
            afterRelease: {
                let isFirst = isAdded.withLock { isAdded in
                    defer { isAdded = true }
                    return !isAdded
                }
                guard isFirst, let lock = try? latch.accounts.lockDownloadsIfFree() else { return }
                // Whoever cancels removes parts for so long.
                Task {
                    try? await Task.sleep(for: .milliseconds(60))
                    lock.release()
                }
            })
        let queue = DownloadQueue(
            latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { .now }, hook: hook)
        try await queue.add([fixture.task("first")])
        try await queue.run()
        #expect(isAdded.withLock { $0 })
        #expect(try fixture.files() == ["first.jpg", "late.jpg"])
    }

    @Test(
        "Of two programs that start at once, one fetches the files of both, and the other reports that")
    func race() async throws {
        let queues = [fixture.queue(), try await fixture.otherProgram()]
        for (number, queue) in queues.enumerated() { try await queue.add([fixture.task("of-\(number)")]) }
        let refusals = await withTaskGroup(of: Bool.self) { group in
            for queue in queues {
                group.addTask {
                    do {
                        try await queue.run()
                        return false
                    } catch {
                        return (error as? LatchError)?.code == .storageLocked
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(refusals <= 1)
        #expect(try fixture.files() == ["of-0.jpg", "of-1.jpg"])
        #expect(try await queues[0].progress().open == 0)
    }

    @Test("DL-14 a queue with only downloaded, missing or cancelled files allows another folder, cleared or not")
    func finishedQueue() async throws {
        fixture.intercept { $0.path == "/files/gone" ? DownloadFixture.notFound : nil }
        let (queue, locations) = (fixture.queue(), LibraryLocations(fixture.latch))
        let (here, there) = (LibraryLocation(folder: fixture.library), LibraryLocation(folder: fixture.library + "-2"))
        try await queue.add(["home", "gone", "later"].map { fixture.task($0) }, goingTo: here)
        try await queue.pause(["later"])
        try await queue.run()
        await #expect(throws: LatchError.self) { try await locations.remember(there) }
        #expect(try await queue.cancel("later"))
        #expect(try await queue.progress().open == 0)
        #expect(try await !locations.isAwaited())
        try await locations.check(there.folder)
        #expect(try await queue.add([fixture.task("other")], goingTo: there) == 1)
        #expect(try await locations.last() == there)
        await #expect(throws: LatchError.self) { try await locations.check(here.folder) }
        try await queue.cancelAll()
        try await queue.clear()
        try await locations.remember(here)
    }

    @Test("A run starts even if another program looks for parts at that time, which does not count as fetching")
    func shortLock() async throws {
        let queue = fixture.queue()
        try await queue.add([fixture.task("first")])
        for turn in 0..<2 {
            let lock = try #require(try fixture.latch.accounts.lockDownloadsIfFree())
            let task = Task.immediate { [turn] in
                if turn == 0 { return try await queue.isFetchedElsewhere() }
                try await queue.run()
                return false
            }
            // It has tried in vain once by now, for it runs here until it first waits.
            lock.release()
            #expect(try await !task.value)
        }
        #expect(try fixture.files() == ["first.jpg"])
    }

    @Test("Of two concurrent selections for different folders, the later is refused without adding files")
    func twoFolders() async throws {
        let (queue, other) = (fixture.queue(), try await fixture.otherProgram())
        let locations = LibraryLocations(fixture.latch)
        let (here, there) = (LibraryLocation(folder: fixture.library), LibraryLocation(folder: fixture.library + "-2"))
        // Both have looked before anything waited.
        try await locations.remember(there)
        try await locations.remember(here)
        #expect(try await queue.add([fixture.task("first")], goingTo: here) == 1)
        let error = await #expect(throws: LatchError.self) {
            try await other.add([fixture.task("second")], goingTo: there)
        }
        #expect(error?.code == .invalidRequest && error?.message.contains(fixture.library) == true)
        await #expect(throws: LatchError.self) { try await locations.remember(there) }
        #expect(try await locations.last() == here)
        #expect(try await queue.tasks().map(\.task.id) == ["first"])
        try await queue.run()
        #expect(try await other.add([fixture.task("second")], goingTo: there) == 1)
        #expect(try await locations.last() == there)
    }

    @Test(
        "DL-14 another folder is refused while a failed file's part is in this one, until it is cleared")
    func failedPart() async throws {
        let bytes = patternBytes(200_000)
        fixture.cut("one", bytes, after: 10_000)
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        let locations = LibraryLocations(fixture.latch)
        let here = LibraryLocation(folder: fixture.library)
        try await queue.add([fixture.task("one")], goingTo: here)
        try await queue.run()
        #expect(try await queue.progress().failed == 1 && fixture.parts().count == 1)
        #expect(try await locations.isAwaited())
        let error = await #expect(throws: LatchError.self) { try await locations.check(fixture.library + "-2") }
        #expect(error?.remedy == .clearFailedDownloads)
        try await locations.check(here.folder)
        try await queue.clear()
        #expect(fixture.parts().isEmpty)
        #expect(try await !locations.isAwaited())
        try await locations.remember(LibraryLocation(folder: fixture.library + "-2"))
    }

    @Test("A failed file without a part allows another folder")
    func failedWithoutPart() async throws {
        fixture.intercept { request in
            guard request.path == "/files/one" else { return nil }
            var response = FaultServer.Response(headers: [], body: fixture.bytes(of: "one"))
            response.cutAfter = 10_000
            return response
        }
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add([fixture.task("one")], goingTo: LibraryLocation(folder: fixture.library))
        try await queue.run()
        #expect(try await queue.progress().failed == 1 && fixture.parts().isEmpty)
        #expect(try await !LibraryLocations(fixture.latch).isAwaited())
    }
}
