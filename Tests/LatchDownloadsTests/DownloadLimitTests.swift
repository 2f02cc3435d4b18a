import Crypto
import Foundation
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchDownloads

/// What is told of a task on its way, and how many are on theirs at once.
@Suite(.timeLimit(.minutes(20)))
struct DownloadLimitTests {
    private let fixture: DownloadFixture

    init() async throws { fixture = try await DownloadFixture() }

    /// Counts how many files are asked for at once; each waits until as many are as is expected.
    private func count(_ expected: Int) -> Barrier {
        let barrier = Barrier(expected)
        fixture.intercept { [fixture] request in
            guard request.path.hasPrefix("/files/") else { return nil }
            barrier.enter()
            defer { barrier.leave() }
            return .file(fixture.bytes(of: String(request.path.dropFirst(7))), to: request)
        }
        return barrier
    }

    @Test("DL-10 at most six files are fetched at once, and three of a group", arguments: [(1, 3), (2, 6), (3, 6)])
    func limits(_ groups: Int, _ most: Int) async throws {
        let barrier = count(most)
        let queue = fixture.queue()
        let all: [DownloadGroup] = [.image, .video, .file]
        try await queue.add((0..<24).map { fixture.task("picture-\($0)", group: all[$0 % groups]) })
        try await queue.run()
        #expect(barrier.most == most)
        #expect(try fixture.files().count == 24)
    }

    @Test("DL-10 other limits are respected, also those for a host", arguments: [(2, 6, 6), (6, 2, 6), (6, 6, 2)])
    func otherLimits(_ limits: (Int, Int, Int)) async throws {
        let barrier = count(2)
        var settings = DownloadSettings()
        (settings.maximum, settings.maximumPerHost, settings.maximumPerGroup) = limits
        let queue = fixture.queue(settings)
        try await queue.add((0..<12).map { fixture.task("picture-\($0)") })
        try await queue.run()
        #expect(barrier.most == 2)
    }

    @Test("DL-10 one film among hundreds of photographs does not wait for all of them")
    func fair() async throws {
        let queue = fixture.queue()
        try await queue.add((0..<200).map { fixture.task("picture-\($0)") } + [fixture.task("film", group: .video)])
        let events = fixture.collect(queue)
        try await queue.run()
        // The server may get requests in another order than the queue starts them.
        let started = await events().compactMap { event -> String? in
            if case .status(let id, .running) = event { id } else { nil }
        }
        #expect(started.count == 201)
        #expect(try #require(started.firstIndex(of: "film")) < 10)
    }

    @Test("DL-7 DL-8 DL-9 a task reports its status, its progress in bytes, and its end, in this order")
    func eventOrder() async throws {
        fixture.stall("one", after: 5_000)
        let queue = fixture.queue()
        try await queue.add([fixture.task("one")])
        var seen: [DownloadEvent] = []
        var overall = OverallProgress()
        let events = queue.events
        let run = Task { try await queue.run() }
        loop: for await event in events {
            switch event {
            case .progress(_, 5_000, _): if !seen.contains(event) { seen.append(event) }
            case .progress: continue
            case .overall(let progress):
                overall = progress
                if seen.count > 1 { break loop }
            default: seen.append(event)
            }
        }
        let length = fixture.bytes(of: "one").count
        #expect(seen == [.status(id: "one", .running), .progress(id: "one", received: 5_000, total: length)])
        #expect(overall.done == 0 && overall.open == 1)
        run.cancel()
        _ = await run.result

        fixture.intercept { _ in nil }
        let rest = fixture.collect(queue)
        try await queue.run()
        let ends = await rest().filter {
            switch $0 {
            case .status, .complete, .error: true
            default: false
            }
        }
        #expect(
            ends == [
                .status(id: "one", .running), .status(id: "one", .done),
                .complete(id: "one", path: fixture.library + "/one.jpg"),
            ])
        let progress = try await queue.progress()
        #expect(progress.done == 1 && progress.received == length && progress.total == length)
    }

    @Test("DL-7 a task without progress reports only its end")
    func withoutProgress() async throws {
        let queue = fixture.queue()
        var task = fixture.task("one")
        task.reportsProgress = false
        try await queue.add([task])
        let events = fixture.collect(queue)
        try await queue.run()
        let received = await events()
        #expect(!received.contains { if case .progress = $0 { true } else { false } })
        #expect(received.contains(.complete(id: "one", path: fixture.library + "/one.jpg")))
    }

    @Test(
        "DL-4 a task is stored with id, URL, fields, name, group, progress and metadata; its query is sealed"
    )
    func persistedFields() async throws {
        var task = DownloadTask(
            id: "id", account: fixture.account.id, url: "/files/id?edited=true", headers: ["Accept": "image/*"],
            filename: "Größe.HEIC", group: .livePhoto, reportsProgress: false,
            metadata: .init(
                size: 7, sha1: Array(0..<20), isDigestAdvice: true,
                taken: .init(timeIntervalSince1970: 1_700_000_000.5),
                part: .video, liveID: "still"))
        try await fixture.queue().add([task])
        var stored = try #require(try await fixture.otherProgram().tasks().first?.task)
        let key = try await fixture.latch.accounts.sealingKey(of: fixture.account.id)
        #expect(try SealedQuery.open(stored, key) == "/files/id?edited=true")
        #expect(stored.metadata.sealedQuery != nil && stored.url == "/files/id?…")
        stored.metadata.sealedQuery = nil
        task.url = stored.url
        #expect(stored == task)
        let other = Secret(bytes: Array(repeating: 7, count: 32))
        task.metadata.sealedQuery = "AAAA"
        #expect(throws: LatchError.self) { _ = try SealedQuery.open(task, other) }
    }
}
