import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// Many small files cost little, and nobody waits for company that does not come.
@Suite(.timeLimit(.minutes(20))) struct DownloadManyTests {
    private let world: DownloadWorld

    init() async throws { world = try await DownloadWorld() }

    @Test("DL-11 a file that is whole is downloaded while another one is still running")
    func alone() async throws {
        let barrier = Barrier(2)
        world.intercept { request in
            if request.path.hasSuffix("/slow") { barrier.enter() }
            return nil
        }
        let queue = world.queue()
        let events = queue.events { if case .complete = $0 { true } else { false } }
        try await queue.add([world.task("slow"), world.task("quick")])
        async let run: Void = queue.run()

        var iterator = events.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first == .complete(id: "quick", path: world.library + "/quick.jpg"))
        #expect(try world.file("quick.jpg") == world.bytes(of: "quick"))

        barrier.lift()
        try await run
        #expect(try world.files() == ["quick.jpg", "slow.jpg"])
    }

    @Test("DL-1 addresses are handed over together, all of them and in their order")
    func together() async throws {
        let session = try world.latch.session(for: world.account)
        let paths = (0..<1_200).map { "/files/\($0).jpg" }
        var pages: [[DownloadTask]] = []

        try await DownloadChooser(world.account, session).find(DownloadSelection(paths: paths)) { pages.append($0) }

        #expect(pages.count == 1)
        #expect(pages.joined().map(\.filename) == (0..<1_200).map { "\($0).jpg" })
    }

    @Test("DL-9 a listener that wants only some of what is told gets that and no more")
    func some() async throws {
        let queue = world.queue()
        let events = queue.events { if case .complete = $0 { true } else { false } }
        try await queue.add([world.task("one"), world.task("two")])
        try await queue.run()
        queue.endEvents()

        var told: [DownloadEvent] = []
        for await event in events { told.append(event) }
        #expect(told.count == 2)
        #expect(told.allSatisfy { if case .complete = $0 { true } else { false } })
    }
}
