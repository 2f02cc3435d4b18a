import Foundation
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Listeners that take events slowly or not at all.
@Suite(.timeLimit(.minutes(20)))
struct EventTests {
    private static func end(_ number: Int) -> DownloadEvent { .complete(id: "\(number)", path: "/\(number)") }

    @Test(
        "DL-8 a listener that must get all events gets the end of every file, in order, and progress as far as it keeps up"
    )
    func deliversAllEvents() async throws {
        let capacityCalls = Mutex(0)
        let broadcast = EventBroadcast { capacityCalls.withLock { $0 += 1 } }
        let (all, lossy) = (broadcast.stream(isLossless: true), broadcast.stream())
        for number in 0..<10_000 {
            broadcast.send(Self.end(number))
            broadcast.send(.overall(OverallProgress()))
        }
        #expect(broadcast.isFull)
        broadcast.finish()
        let (received, newest) = (
            await all.reduce(into: []) { $0.append($1) }, await lossy.reduce(into: []) { $0.append($1) }
        )
        #expect(received.filter { $0 != .overall(OverallProgress()) } == (0..<10_000).map(Self.end))
        #expect(received.count < 10_000 + EventBacklog.limit)
        #expect(newest.last == Self.end(9_999) && newest.count <= EventBacklog.limit + 1)
        #expect(!broadcast.isFull && capacityCalls.withLock { $0 } > 0)
    }

    @Test("DL-8 a stream of events ends when its queue is released, also while its listener waits")
    func releasedQueue() async throws {
        let fixture = try await DownloadFixture()
        var queue: DownloadQueue? = fixture.queue()
        let events = try #require(queue?.events)
        let listener = Task { await events.reduce(into: 0) { count, _ in count += 1 } }
        queue = nil
        #expect(await listener.cancellableValue == 0)
    }

    @Test(
        "DL-8 while a listener that must get all events is far behind, no file is started until it catches up or ends",
        arguments: [true, false])
    func slowListener(_ comesAlong: Bool) async throws {
        let fixture = try await DownloadFixture()
        let queue = fixture.queue()
        try await queue.add((0..<3).map { fixture.task("picture-\($0)") })
        var all: AsyncStream<DownloadEvent>? = queue.everyEvent { _ in true }
        for number in 0..<EventBacklog.limit { queue.broadcast.send(Self.end(number)) }
        let events = queue.events
        let run = Task { try await queue.run() }
        var beats = 0
        for await event in events {
            if case .overall = event { beats += 1 }
            if beats == 3 { break }
        }
        #expect(!fixture.server.requests.contains { $0.path.hasPrefix("/files/") })
        let consumer =
            comesAlong ? all.map { all in Task { await all.reduce(into: 0) { count, _ in count += 1 } } } : nil
        all = nil
        try await run.cancellableValue
        #expect(try await queue.progress().done == 3)
        queue.endEvents()
        if let consumer { #expect(await consumer.value >= EventBacklog.limit + 9) }
    }
}
