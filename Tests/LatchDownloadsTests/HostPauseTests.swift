import Database
import Foundation
import LatchKit
import TestSupport
import Testing

@testable import LatchDownloads

/// A server asks for a pause, and the program that was told so ends.
@Suite(.timeLimit(.minutes(20)))
struct HostPauseTests {
    private let fixture: DownloadFixture
    private let clock = DownloadFixture.Clock()

    init() async throws { fixture = try await DownloadFixture() }

    private var asked: Int { fixture.server.requests.count { $0.path.hasPrefix("/files/") } }

    private func queue() -> DownloadQueue { fixture.queue(now: { [clock] in clock.now }) }

    /// Leaves a queue whose server has asked for a pause of ten minutes and answers again afterwards.
    private func leavePausedQueue() async throws {
        fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 503, headers: [("Retry-After", "600")]) : nil }
        let queue = queue()
        try await queue.add((0..<10).map { fixture.task("picture-\($0)") })
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events)
        run.cancel()
        _ = await run.result
        fixture.intercept { _ in nil }
    }

    /// Runs the queue again, and returns when it has told why it waits and has looked for commands once more.
    private func beginAgain() async throws -> (queue: DownloadQueue, run: Task<Void, any Error>, why: String) {
        let queue = queue()
        let events = queue.events
        let run = Task { try await queue.run() }
        var (pauseReason, beats) = ("", 0)
        for await event in events {
            if case .pauseReasonChanged(let reason?) = event { pauseReason = reason.sentence }
            if case .overall = event { beats += 1 }
            if !pauseReason.isEmpty, beats >= 2 { break }
        }
        return (queue, run, pauseReason)
    }

    @Test(
        "DL-14 DL-17 a pause survives the program; the next one reports why and how long it waits, then continues"
    )
    func survivesRestart() async throws {
        try await leavePausedQueue()
        let before = asked
        let (queue, run, reason) = try await beginAgain()
        #expect(
            reason.contains("503") && reason.contains("wait until") && reason.contains("retry"),
            "\(reason)")
        #expect(asked == before)
        let rows = try await queue.tasks()
        #expect(rows.contains { $0.waitReason?.contains("503") ?? false && $0.notBefore > clock.now })
        clock.advance(by: 602)
        try await run.cancellableValue
        #expect(try await queue.progress().done == 10)
        #expect(try await queue.pauses().isEmpty)
    }

    @Test(
        "DL-12 DL-14 retry starts waiting files at once, also in a program that is already running",
        arguments: [true, false])
    func retried(_ isAll: Bool) async throws {
        try await leavePausedQueue()
        let before = asked
        let (queue, run, _) = try await beginAgain()
        #expect(asked == before)
        let count = try await fixture.otherProgram().retryFailed(isAll ? nil : ["picture-7"])
        #expect(count == (isAll ? 10 : 1))
        if !isAll { clock.advance(by: 602) }
        try await run.cancellableValue
        #expect(try await queue.progress().done == 10)
    }

    @Test("DL-12 retry counts a failed file of a paused host once", arguments: [true, false])
    func countedOnce(_ isAll: Bool) async throws {
        fixture.intercept { $0.path == "/files/bad" ? DownloadFixture.notFound : nil }
        let queue = queue()
        try await queue.add([fixture.task("bad", group: .file)])
        try await queue.run()
        #expect(try await queue.progress().failed == 1)
        try await leavePausedQueue()
        #expect(try await fixture.otherProgram().retryFailed(isAll ? nil : ["bad"]) == (isAll ? 11 : 1))
    }

    @Test("DL-14 a stored pause of a host without waiting files is removed when it has ended")
    func removesEndedPause() async throws {
        try await leavePausedQueue()
        let queue = queue()
        try await queue.cancelAll()
        let count = Statement("SELECT count(*) FROM download_pauses") { row throws(DatabaseError) in
            try row.get(0) as Int
        }
        func rows() async throws -> Int? { try await fixture.latch.accounts.database.read { try $0.first(count) } }
        #expect(try await rows() == 1)
        try await queue.run()
        #expect(try await rows() == 1)
        clock.advance(by: 602)
        try await queue.run()
        #expect(try await rows() == 0)
    }

    @Test(
        "DL-14 setting the clock back by a day does not make a pause longer, whether a program runs or not",
        arguments: [true, false])
    func clockSetBack(_ runs: Bool) async throws {
        try await leavePausedQueue()
        if !runs { clock.advance(by: -86_400) }
        let queue = queue()
        let events = queue.events
        let run = Task { try await queue.run() }
        if runs {
            await queue.untilHeld(events)
            clock.advance(by: -86_400)
        }
        try await run.cancellableValue
        #expect(try await queue.progress().done == 10)
    }
}
