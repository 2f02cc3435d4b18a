import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// The pauses between tries.
@Suite(.timeLimit(.minutes(20)))
struct BackOffTests {
    @Test("DL-14 the delays double from one second to a minute, each with a random factor from 0.5 to 1.5")
    func pauses() {
        #expect((0..<9).map { BackOff.pause(after: $0, random: 0.5) } == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        #expect(BackOff.pause(after: 3, random: 0) == 4 && BackOff.pause(after: 3, random: 1) == 12)
        #expect(BackOff.pause(after: .max, random: 0.5) == 60)
        let drawn = (0..<100).map { _ in BackOff.pause(after: 1, random: DownloadHook().random()) }
        #expect(Set(drawn).count > 90 && drawn.allSatisfy { (1..<3).contains($0) })
    }

    @Test(
        "DL-14 a task's next attempt is exactly after the random delay, and not before the server's Retry-After",
        arguments: [nil, "40"])
    func randomizedDelay(_ asked: String?) async throws {
        let fixture = try await DownloadFixture()
        fixture.intercept { request in
            guard request.path.hasPrefix("/files/") else { return nil }
            return .init(status: 500, headers: asked.map { [("Retry-After", $0)] } ?? [])
        }
        let chances = Mutex([0.0, 0.25, 0.75])
        let clock = DownloadFixture.Clock()
        let queue = fixture.queue(now: { clock.now }, random: { chances.withLock { $0.removeFirst() } })
        try await queue.add([fixture.task("one")])
        let events = queue.events
        let run = Task { try await queue.run() }
        var (pauses, ran): ([Double], Bool) = ([], false)
        for await event in events {
            if case .status(_, .running) = event { ran = true }
            guard ran, case .status(_, .waiting) = event else { continue }
            let row = try #require(try await queue.tasks().first)
            pauses.append(row.notBefore.timeIntervalSince(clock.now))
            if pauses.count == 3 { break }
            clock.advance(by: pauses.last ?? 0)
        }
        run.cancel()
        _ = await run.result
        #expect(pauses == (asked == nil ? [0.5, 1.5, 5] : [40, 40, 40]))
    }
}
