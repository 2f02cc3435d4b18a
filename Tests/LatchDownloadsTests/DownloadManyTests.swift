import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Many small files cost little, and nobody waits for company that does not come.
@Suite(.timeLimit(.minutes(20))) struct DownloadManyTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    @Test("DL-11 a complete file is saved while another one is still running")
    func savedIndividually() async throws {
        let barrier = Barrier(2)
        fixture.intercept { request in
            if request.path.hasSuffix("/slow") { barrier.enter() }
            return nil
        }
        let queue = fixture.queue()
        let events = queue.events { if case .complete = $0 { true } else { false } }
        try await queue.add([fixture.task("slow"), fixture.task("quick")])
        async let run: Void = queue.run()

        var iterator = events.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first == .complete(id: "quick", path: fixture.library + "/quick.jpg"))
        #expect(try fixture.file("quick.jpg") == fixture.bytes(of: "quick"))

        barrier.open()
        try await run
        #expect(try fixture.files() == ["quick.jpg", "slow.jpg"])
    }

    @Test("DL-1 URLs are added together, completely and in order")
    func addedTogether() async throws {
        let session = try fixture.latch.session(for: fixture.account)
        let paths = (0..<1_200).map { "/files/\($0).jpg" }
        var pages: [[DownloadTask]] = []

        for try await tasks in DownloadChooser(fixture.account, session).pages(of: DownloadSelection(paths: paths)) {
            pages.append(tasks)
        }

        #expect(pages.count == 1)
        #expect(pages.joined().map(\.filename) == (0..<1_200).map { "\($0).jpg" })
    }

    @Test("DL-9 a listener with a filter gets only the matching events")
    func filteredEvents() async throws {
        let queue = fixture.queue()
        let events = queue.events { if case .complete = $0 { true } else { false } }
        try await queue.add([fixture.task("one"), fixture.task("two")])
        try await queue.run()
        queue.endEvents()

        var received: [DownloadEvent] = []
        for await event in events { received.append(event) }
        #expect(received.count == 2)
        #expect(received.allSatisfy { if case .complete = $0 { true } else { false } })
    }
}
