import Foundation
import LatchDownloads
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct DownloadPairTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    @Test("DL-6 a part of a live photo without the other part in the queue fails, and the queue finishes")
    func missingCounterpart() async throws {
        let queue = fixture.queue()
        try await queue.add([fixture.pair("live")[0]])
        try await queue.run()
        guard case .failed = try await fixture.state("live", queue) else {
            Issue.record("failed")
            return
        }
        #expect(try fixture.files().isEmpty && fixture.parts().isEmpty)
    }

    @Test("DL-12 cancelling one part of a live photo cancels both; each of many pairs gets one base name")
    func manyPairs() async throws {
        let queue = fixture.queue()
        let ids = (0..<12).map { "live-\($0)" }
        try await queue.add(ids.flatMap(fixture.pair))
        #expect(try await queue.cancel("live-3-film"))
        try await queue.run()
        let remaining = ids.filter { $0 != "live-3" }
        #expect(try fixture.files() == remaining.flatMap { ["\($0).MOV", "\($0).jpg"] }.sorted())
        #expect(try await queue.progress().done == 22 && fixture.parts().isEmpty)
    }

    @Test(
        "DL-6 no part of a live photo is kept if one part is missing on the server", arguments: ["live", "live-film"])
    func deletedCounterpart(_ deleted: String) async throws {
        fixture.intercept { $0.path == "/files/\(deleted)" ? DownloadFixture.notFound : nil }
        let queue = fixture.queue()
        try await queue.add(fixture.pair("live") + [fixture.task("other")])
        try await queue.run()
        guard case .skipped = try await fixture.state(deleted, queue) else {
            Issue.record("skipped")
            return
        }
        let other = deleted == "live" ? "live-film" : "live"
        guard case .failed(let reason) = try await fixture.state(other, queue) else {
            Issue.record("failed")
            return
        }
        #expect(reason.contains("other part"))
        #expect(try fixture.files() == ["other.jpg"] && fixture.parts().isEmpty)

        fixture.intercept { _ in nil }
        #expect(try await queue.retryFailed(["nothing"]) == 0)
        #expect(try await fixture.state(deleted, queue)?.word == "skipped")
        #expect(try await queue.retryFailed([other]) == 2)
        try await queue.run()
        #expect(try fixture.files() == ["live.MOV", "live.jpg", "other.jpg"] && fixture.parts().isEmpty)
    }
}
