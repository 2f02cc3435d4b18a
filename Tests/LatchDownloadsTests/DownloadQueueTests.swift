import Foundation
import LatchDownloads
import LatchKit
import TestSupport
import Testing

/// The queue against a server that does right, and wrong as a case says.
@Suite(.timeLimit(.minutes(20))) struct DownloadQueueTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    @Test("DL-1 DL-9 many files are downloaded completely, and the queue reports that")
    func bulk() async throws {
        let tasks = (0..<40).map { fixture.task("picture-\($0)", group: $0 % 3 == 0 ? .video : .image) }
        let queue = fixture.queue()
        let events = fixture.collect(queue)
        #expect(try await queue.add(tasks) == 40)
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 40 && progress.open == 0 && progress.failed == 0)
        for task in tasks { #expect(try fixture.file(task.filename) == fixture.bytes(of: task.id)) }
        #expect(try fixture.files().count == 40)
        let all = await events()
        #expect(all.count { if case .complete = $0 { true } else { false } } == 40)
    }
}
