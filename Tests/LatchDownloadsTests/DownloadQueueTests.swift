import Foundation
import LatchDownloads
import LatchKit
import TestSupport
import Testing

/// The queue against a server that does right, and wrong as a case says.
@Suite(.timeLimit(.minutes(20))) struct DownloadQueueTests {
    private let world: DownloadWorld

    init() async throws { world = try await DownloadWorld() }

    @Test("DL-1 DL-9 many files are downloaded, each whole, and the queue says so")
    func bulk() async throws {
        let tasks = (0..<40).map { world.task("picture-\($0)", group: $0 % 3 == 0 ? .video : .image) }
        let queue = world.queue()
        let events = world.collect(queue)
        #expect(try await queue.add(tasks) == 40)
        try await queue.run()
        let progress = try await queue.progress()
        #expect(progress.done == 40 && progress.open == 0 && progress.failed == 0)
        for task in tasks { #expect(try world.file(task.filename) == world.bytes(of: task.id)) }
        #expect(try world.files().count == 40)
        let all = await events()
        #expect(all.count { if case .complete = $0 { true } else { false } } == 40)
    }
}
