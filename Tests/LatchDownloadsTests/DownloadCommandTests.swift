import Foundation
import HTTPClient
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Commands to a queue while it runs, from this program and from another one on the same file.
@Suite(.timeLimit(.minutes(20)))
struct DownloadCommandTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    /// Lets the file `slow` stand still after its first bytes, runs the queue, and returns when they are there.
    private func startStalledDownload(_ queue: DownloadQueue, waitsForMore: Bool = false) async throws -> Task<
        Void, any Error
    > {
        fixture.stall("slow", after: 5_000)
        try await queue.add([fixture.task("slow"), fixture.task("quick")])
        let events = queue.events
        let run = Task { try await queue.run(waitsForMore: waitsForMore) }
        for await event in events {
            if case .progress("slow", 5_000, _) = event { break }
        }
        return run
    }

    @Test("DL-12 another program cancels a running task: it stops, its part is deleted, the others are downloaded")
    func cancelled() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        #expect(try await fixture.otherProgram().cancel("slow"))
        try await run.cancellableValue
        #expect(try await fixture.state("slow", queue) == nil)
        #expect(try fixture.files() == ["quick.jpg"] && fixture.parts().isEmpty)
    }

    @Test(
        "DL-12 before a sign-out the number of the account's open files is reported, without others' and ended ones"
    )
    func openTasks() async throws {
        let queue = fixture.queue()
        fixture.intercept { $0.path == "/files/forbidden" ? .init(status: 403) : nil }
        try await queue.add([fixture.task("forbidden"), fixture.task("home")])
        #expect(try await queue.openTasks(of: fixture.account.id) == 2)
        try await queue.run()
        #expect(try await queue.openTasks(of: fixture.account.id) == 0)
        try await queue.add((0..<5).map { fixture.task("later-\($0)") })
        try await queue.pause(["later-1", "later-2"])
        #expect(try await queue.openTasks(of: fixture.account.id) == 5)
        #expect(try await queue.openTasks(of: UUID()) == 0)
        try await fixture.latch.signOut(fixture.account)
        #expect(try await queue.openTasks(of: fixture.account.id) == 0)
    }

    @Test(
        "DL-6 DL-12 a file that is moved to its destination while it is cancelled is removed and not reported as complete",
        arguments: [false, true], [false, true])
    func cancelledDuringMove(_ isPair: Bool, _ isIndexed: Bool) async throws {
        let other = try await fixture.otherProgram()
        let hook = DownloadHook { step in if step == .placed { _ = try? await other.cancelAll() } }
        let library = PictureLibrary(fixture.latch, folder: fixture.library)
        let queue = DownloadQueue(
            fixture.latch, library: isIndexed ? library : FolderLibrary(folder: fixture.library), settings: .init(),
            now: { .now }, hook: hook)
        let events = fixture.collect(queue)
        let tasks = isPair ? fixture.pair("live") : [fixture.task("one")]
        try await queue.add(tasks)
        try await queue.run()
        #expect(try fixture.files().isEmpty && fixture.parts().isEmpty)
        #expect(try await queue.tasks().isEmpty)
        let received = await events()
        #expect(!received.contains { if case .complete = $0 { true } else { false } })
        if isIndexed { #expect(try await library.absent(tasks).count == tasks.count) }
    }

    @Test("DL-12 parts of files that are cancelled at the very end of a run by another program are removed")
    func cancelledAtEnd() async throws {
        let other = try await fixture.otherProgram()
        let hook = DownloadHook(beforeRelease: { _ = try? await other.cancelAll() })
        let queue = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { .now }, hook: hook
        )
        let run = try await startStalledDownload(queue)
        try await other.pause(["slow"])
        try await run.cancellableValue
        #expect(try await queue.tasks().map(\.task.id) == ["quick"])
        #expect(try fixture.files() == ["quick.jpg"] && fixture.parts().isEmpty)
    }

    @Test("DL-12 cancelling all tasks ends the run, and leaves no files")
    func cancelledAll() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        #expect(try await fixture.otherProgram().cancelAll() >= 1)
        try await run.cancellableValue
        let progress = try await queue.progress()
        #expect(progress.open == 0 && fixture.parts().isEmpty)
    }

    @Test("DL-12 a task that is cancelled while it runs and added again at once is downloaded")
    func cancelledAndAdded() async throws {
        let queue = fixture.queue()
        // Between the two commands nothing is left to fetch.
        let run = try await startStalledDownload(queue, waitsForMore: true)
        fixture.intercept { _ in nil }
        let events = queue.events
        let other = try await fixture.otherProgram()
        #expect(try await other.cancel("slow"))
        #expect(try await other.add([fixture.task("slow")]) == 1)
        for await event in events { if case .status("slow", .done) = event { break } }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.cancellableValue }
        #expect(try fixture.files() == ["quick.jpg", "slow.jpg"] && fixture.parts().isEmpty)
        #expect(try fixture.file("slow.jpg") == fixture.bytes(of: "slow"))
    }

    @Test("DL-12 a paused task that is cancelled while no program downloads leaves no part")
    func cancelledWhilePaused() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        run.cancel()
        _ = await run.result
        #expect(fixture.parts().count == 1)
        #expect(try await fixture.otherProgram().cancel("slow"))
        #expect(fixture.parts().isEmpty)
    }

    @Test("DL-9 another program pauses a running task and resumes it: it continues at the same offset")
    func paused() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        let other = try await fixture.otherProgram()
        #expect(try await other.pause(["slow"]) == 1)
        try await run.cancellableValue
        #expect(try await fixture.state("slow", queue) == .paused)
        #expect(fixture.parts().count == 1)

        fixture.intercept { _ in nil }
        #expect(try await other.resume() == 1)
        try await queue.run()
        #expect(try await fixture.state("slow", queue) == .done)
        #expect(try fixture.file("slow.jpg") == fixture.bytes(of: "slow") && fixture.parts().isEmpty)
        #expect(fixture.server.requests.contains { $0.headers["range"] == "bytes=5000-" })
    }

    @Test("DL-17 a stopped run keeps the received bytes, and the same queue can run again")
    func stoppedRun() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.cancellableValue }
        #expect(try await fixture.state("slow", queue) == .waiting)

        fixture.intercept { _ in nil }
        try await queue.run()
        #expect(try fixture.files() == ["quick.jpg", "slow.jpg"])
        #expect(try fixture.file("slow.jpg") == fixture.bytes(of: "slow") && fixture.parts().isEmpty)
        #expect(fixture.server.requests.contains { $0.headers["range"] == "bytes=5000-" })
    }

    @Test("DL-13 a full quota is not tried again and again, even if the disk seems to have room")
    func quota() async throws {
        let clock = DownloadFixture.Clock()
        let tries = Mutex(0)
        let isFull = Mutex(true)
        let hook = DownloadHook { step in
            guard step == .started, isFull.withLock({ $0 }) else { return }
            tries.withLock { $0 += 1 }
            throw LatchError(.fileFailed, "Full.", cause: TransportError(.diskFull, "Full."))
        }
        let queue = DownloadQueue(
            fixture.latch, library: FolderLibrary(folder: fixture.library), settings: .init(), now: { clock.now },
            hook: hook)
        try await queue.add([fixture.task("one")])
        let events = queue.events
        let run = Task { try await queue.run() }
        var (holds, beats) = (0, 0)
        for await event in events {
            if case .pauseReasonChanged(_?) = event { holds += 1 }
            if holds == 2, case .overall = event { beats += 1 }
            if beats == 3 { break }
        }
        #expect(tries.withLock { $0 } == 2 && holds == 2)
        isFull.withLock { $0 = false }
        clock.advance(by: 2)
        try await run.cancellableValue
        #expect(try fixture.files() == ["one.jpg"])
    }

    @Test("DL-13 DL-17 a hold from outside, as without a network, stops all transfers, which then continue")
    func externalHold() async throws {
        let queue = fixture.queue()
        let run = try await startStalledDownload(queue)
        let events = queue.events
        await queue.pauseAll(reason: WaitReason("There is no network."))
        for await event in events { if case .status("slow", .waiting) = event { break } }
        fixture.intercept { _ in nil }
        await queue.pauseAll(reason: nil)
        try await run.cancellableValue
        #expect(try fixture.files() == ["quick.jpg", "slow.jpg"])
        #expect(try await queue.tasks().allSatisfy { $0.attempts == 0 && $0.state == .done })
    }
}
