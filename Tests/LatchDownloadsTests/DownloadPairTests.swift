import Foundation
import LatchDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct DownloadPairTests {
    private let world: DownloadWorld

    init() async throws { world = try await DownloadWorld() }

    @Test("DL-6 a half whose other part was never asked for fails, and the queue comes to its end")
    func loneHalf() async throws {
        let queue = world.queue()
        try await queue.add([world.pair("live")[0]])
        try await queue.run()
        guard case .failed = try await world.state("live", queue) else {
            Issue.record("failed")
            return
        }
        #expect(try world.files().isEmpty && world.parts().isEmpty)
    }

    @Test("DL-12 cancelling one part of a live photo cancels both; many pairs come home each with one base name")
    func many() async throws {
        let queue = world.queue()
        let ids = (0..<12).map { "live-\($0)" }
        try await queue.add(ids.flatMap(world.pair))
        #expect(try await queue.cancel("live-3-film"))
        try await queue.run()
        let kept = ids.filter { $0 != "live-3" }
        #expect(try world.files() == kept.flatMap { ["\($0).MOV", "\($0).jpg"] }.sorted())
        #expect(try await queue.progress().done == 22 && world.parts().isEmpty)
    }
}
