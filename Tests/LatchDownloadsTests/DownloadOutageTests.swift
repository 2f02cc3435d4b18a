import Foundation
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// A server that is down for a while, over real sockets: its port refuses until it listens there again.
@Suite(.timeLimit(.minutes(20)))
struct DownloadOutageTests {
    private let fixture: DownloadFixture
    private let clock = DownloadFixture.Clock()

    init() async throws { fixture = try await DownloadFixture() }

    private var asked: Int { fixture.server.requests.count { $0.path.hasPrefix("/files/") } }

    private static func holds(_ events: [DownloadEvent]) -> [String?] {
        events.compactMap { if case .pauseReasonChanged(let reason) = $0 { .some(reason?.sentence) } else { nil } }
    }

    /// Runs the queue against a server that is not there, and returns when that was told and nothing runs.
    private func beginWithoutServer(
        _ queue: DownloadQueue, _ count: Int
    ) async throws -> (run: Task<Void, any Error>, told: @Sendable () async -> [DownloadEvent]) {
        try await queue.add((0..<count).map { fixture.task("picture-\($0)") })
        let (events, collected) = (queue.events, fixture.collect(queue))
        fixture.server.beginOutage()
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { reason in
            #expect(reason.contains("refuses the connection") && reason.contains("The next attempt is in"))
        }
        return (run, collected)
    }

    @Test(
        "DL-13 DL-14 an outage of a server uses no attempts of waiting files; it is reported once, and all continue"
    )
    func recoversFromOutage() async throws {
        let queue = fixture.queue(now: { [clock] in clock.now })
        let (run, events) = try await beginWithoutServer(queue, 30)
        #expect(try await queue.tasks().allSatisfy { $0.state == .waiting || $0.state == .running })
        try fixture.server.endOutage()
        clock.advance(by: 3)
        try await run.cancellableValue
        let rows = try await queue.tasks()
        #expect(rows.allSatisfy { $0.state == .done } && rows.reduce(0) { $0 + $1.attempts } <= 1)
        #expect(try fixture.files().count == 30 && fixture.parts().isEmpty)
        let holds = Self.holds(await events())
        #expect(holds.count == 2 && holds.last == .some(nil))
    }

    @Test("DL-14 after the pause one file is tried first, and its failure makes the next pause longer")
    func singleProbe() async throws {
        let queue = fixture.queue(now: { [clock] in clock.now }, random: { 0.5 })
        let (run, _) = try await beginWithoutServer(queue, 30)
        let events = queue.events
        fixture.intercept { $0.path.hasPrefix("/files/") ? .init(status: 502) : nil }
        try fixture.server.endOutage()
        clock.advance(by: 1)
        var ran = false
        for await event in events {
            if case .status(_, .running) = event { ran = true }
            if ran, case .status(_, .waiting) = event { break }
        }
        #expect(asked == 1)
        fixture.intercept { _ in nil }
        #expect(try await queue.tasks().contains { $0.notBefore >= clock.now + 2 })
        clock.advance(by: 4)
        try await run.cancellableValue
        #expect(try fixture.files().count == 30)
    }

    @Test(
        "DL-9 DL-13 if a host stays away for the maximum time, its files fail with one reason, and can be retried"
    )
    func permanentOutage() async throws {
        var settings = DownloadSettings()
        settings.maximumOutage = .seconds(20)
        let queue = fixture.queue(settings, now: DownloadFixture.acceleratedClock())
        try await queue.add((0..<30).map { fixture.task("picture-\($0)") })
        let received = fixture.collect(queue)
        fixture.server.beginOutage()
        try await queue.run()
        let reasons = Set(try await queue.tasks().map { $0.state.sentence })
        #expect(reasons.count == 1 && reasons.first?.contains("Retry when the server is back.") ?? false, "\(reasons)")
        let events = await received()
        #expect(Self.holds(events).last == .some(nil) && fixture.parts().isEmpty)
        let errors = events.compactMap { if case .error(let id, _) = $0 { id } else { nil } }
        #expect(errors.sorted() == (0..<30).map { "picture-\($0)" }.sorted(), "each failure is told by itself, once")

        try fixture.server.endOutage()
        #expect(try await queue.retryFailed() == 30)
        try await queue.run()
        #expect(try await queue.progress().done == 30)
    }

    @Test(
        "DL-13 no file fails because of maintenance, a proxy error or a portal, and all are downloaded afterwards",
        arguments: [
            FaultServer.Response(status: 404, headers: [("Content-Type", "text/plain")], body: Array("404".utf8)),
            .init(
                status: 404, headers: [("Content-Type", "application/json")],
                body: Array(#"{"detail":"Cannot GET /files/one"}"#.utf8)),
            .init(status: 511, headers: [("Content-Type", "text/html")], body: Array("<html>Sign in</html>".utf8)),
            .init(status: 302, headers: [("Location", "https://portal.example.org/")]),
        ])
    func interceptedResponses(_ response: FaultServer.Response) async throws {
        fixture.intercept { $0.path.hasPrefix("/files/") ? response : nil }
        let queue = fixture.queue(now: { [clock] in clock.now })
        try await queue.add((0..<20).map { fixture.task("picture-\($0)") })
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events)
        fixture.intercept { _ in nil }
        clock.advance(by: 5)
        try await run.cancellableValue
        let rows = try await queue.tasks()
        #expect(rows.allSatisfy { $0.state == .done } && rows.reduce(0) { $0 + $1.attempts } <= 1)
        #expect(try fixture.files().count == 20 && fixture.parts().isEmpty)
    }

    @Test(
        "DL-14 if a proxy refuses only one file and all others are downloaded, that file's own attempts count"
    )
    func singleFileRefused() async throws {
        fixture.intercept {
            $0.path == "/files/picture-3"
                ? .init(status: 403, headers: [("Content-Type", "text/html")], body: Array("<html>No</html>".utf8))
                : nil
        }
        let queue = fixture.queue(now: DownloadFixture.acceleratedClock())
        try await queue.add((0..<8).map { fixture.task("picture-\($0)") })
        try await queue.run()
        let row = try #require(try await queue.tasks().first { $0.task.id == "picture-3" })
        #expect(row.state.sentence.contains("It was tried 4 times."), "\(row.state)")
        #expect(try await queue.progress().done == 7)
    }

    @Test("DL-13 DL-14 without a limit the queue waits forever for a host, and downloads all files when it is back")
    func waitsForever() async throws {
        var settings = DownloadSettings()
        settings.maximumOutage = nil
        let queue = fixture.queue(settings, now: DownloadFixture.acceleratedClock())
        try await queue.add((0..<8).map { fixture.task("picture-\($0)") })
        let events = queue.events
        fixture.server.beginOutage()
        let run = Task { try await queue.run() }
        var tries = 0
        for await event in events {
            if case .status(_, .running) = event { tries += 1 }
            if tries == 60 { break }
        }
        // A proxy is often back before the server behind it.
        let isStarting = Mutex(true)
        fixture.intercept { request in
            request.path.hasPrefix("/files/")
                && isStarting.withLock { isStarting in
                    defer { isStarting = false }
                    return isStarting
                }
                ? .init(status: 502, headers: [("Content-Type", "text/html")]) : nil
        }
        try fixture.server.endOutage()
        try await run.cancellableValue
        let states = try await queue.tasks().map(\.state)
        #expect(states.allSatisfy { $0 == .done }, "\(states)")
    }

    @Test(
        "DL-14 a server's Retry-After applies to all its files, up to a day, and a longer one is reported")
    func serverRetryAfter() async throws {
        fixture.intercept {
            $0.path.hasPrefix("/files/") ? .init(status: 503, headers: [("Retry-After", "259200")]) : nil
        }
        let queue = fixture.queue(now: { [clock] in clock.now })
        try await queue.add((0..<30).map { fixture.task("picture-\($0)") })
        let events = queue.events
        let run = Task { try await queue.run() }
        await queue.untilHeld(events) { reason in
            #expect(reason.contains("It requests a pause of 72 hours, which is longer than the maximum"))
            #expect(reason.contains("The next attempt is in 24 hours"))
        }
        clock.advance(by: 86_000)
        for await event in queue.events { if case .overall = event { break } }
        #expect(asked <= 3)
        fixture.intercept { _ in nil }
        clock.advance(by: 500)
        try await run.cancellableValue
        #expect(try await queue.tasks().allSatisfy { $0.state == .done && $0.attempts == 0 })
    }
}

extension DownloadState {
    fileprivate var sentence: String {
        switch self {
        case .failed(let reason): reason
        default: word
        }
    }
}
