import Foundation
import LatchKit
import TestSupport
import Testing

@testable import Database
@testable import LatchDownloads

/// The queue's rows, also where there are very many.
@Suite(.timeLimit(.minutes(20)))
struct DownloadStoreTests {
    private let fixture: DownloadFixture
    private let store: DownloadStore

    init() async throws {
        fixture = try await DownloadFixture()
        store = DownloadStore(database: DownloadDatabase(fixture.latch))
    }

    /// What the queue asks while it works and when it starts, and what is asked of single tasks.
    private static let statements: [(name: String, sql: SQLText)] = [
        ("lanes", DownloadStore.selectLanes.text), ("waiting", DownloadStore.selectWaiting.text),
        ("time", DownloadStore.selectTime.text), ("one", DownloadStore.selectOne.text),
        ("partner", DownloadStore.selectPartner.text), ("page", DownloadStore.selectPage.text),
        ("open", DownloadStore.selectOpen.text), ("unplaced", DownloadStore.selectUnplaced.text),
        ("counts", DownloadStore.selectCounts.text),
        ("update", DownloadStore.update.text), ("resume", DownloadStore.updateResume.text),
        ("begun", DownloadStore.updateBegun.text), ("half", DownloadStore.updateHalf.text),
        ("anew", DownloadStore.updateRestart.text), ("end", DownloadStore.updateEnd.text),
        ("back", DownloadStore.updateBack.text), ("halves", DownloadStore.selectHalves.text),
        ("waits", DownloadStore.selectWaits.text), ("whole", DownloadStore.updateWhole.text),
        ("done", DownloadStore.updateDone.text), ("take up", DownloadStore.restore.text),
        ("change", DownloadStore.changeOne.text), ("remove", DownloadStore.removeOne.text),
        ("change all", DownloadStore.changeAll.text), ("remove all", DownloadStore.removeAll.text),
        ("retry others", DownloadStore.retryOthers.text), ("pause account", DownloadStore.pauseAccount.text),
        ("end of a part", DownloadStore.selectEnd.text), ("open of an account", DownloadStore.selectOpenCount.text),
        ("open of accounts", DownloadStore.selectOpenCounts.text), ("fail a host", DownloadStore.failHost.text),
        ("unfinished of a host", DownloadStore.selectUnfinished.text),
    ]

    @Test("DL-11 no frequent query scans the whole queue")
    func plans() async throws {
        for (name, sql) in Self.statements {
            let text = sql.sql.replacing(/\?\d*/, with: "1")
            let explain = Statement("EXPLAIN QUERY PLAN \(text)") { row throws(DatabaseError) in
                try row.get(3) as String
            }
            let plan = try await store.read { try $0.all(explain) }
            #expect(!plan.isEmpty || sql === DownloadStore.insert.text, "\(name)")
            for step in plan where step.hasPrefix("SCAN") {
                let isSmall =
                    step.contains("download_counts") || step.contains("accounts")
                    || step.contains(/INDEX downloads_(waiting|later|running|parts)/) || step == "SCAN (subquery-1)"
                    || step == "SCAN this" || step == "SCAN download_owner"
                #expect(isSmall, "\(name): \(step)")
            }
        }
    }

    /// What the kept counts must say.
    private static let truth = Statement(
        "SELECT state, count(*), coalesce(sum(size), 0), count(size) FROM downloads GROUP BY state ORDER BY state"
    ) { row throws(DatabaseError) in
        StateCount(state: try row.get(0), count: try row.get(1), bytes: try row.get(2), sized: try row.get(3))
    }

    private func expectCounts(_ step: Comment) async throws {
        let truth = try await fixture.latch.accounts.database.read { try $0.all(Self.truth) }
        let counts = try await store.counts().sorted { $0.state < $1.state }
        #expect(counts == truth, step)
    }

    @Test("DL-11 DL-12 tens of thousands of tasks are added as a stream, and the counts are correct after each command")
    func many() async throws {
        let queue = fixture.queue()
        let (account, count) = (fixture.account.id, 11_000)
        let tasks = AsyncStream<DownloadTask> { continuation in
            for number in 0..<count {
                continuation.yield(
                    DownloadTask(
                        id: "id-\(number)", account: account, url: "/files/\(number)", filename: "\(number).jpg",
                        group: number % 2 == 0 ? .image : .video,
                        metadata: .init(size: number % 10 == 0 ? nil : number)))
            }
            continuation.finish()
        }
        #expect(try await queue.add(tasks) == count)
        #expect(try await queue.add([fixture.task("id-5")]) == 0)
        try await expectCounts("added")
        #expect(try await store.lanes().count == 2)
        #expect(try await queue.pause() == count)
        #expect(try await store.lanes().isEmpty)
        #expect(try await queue.resume(["id-7", "id-8"]) == 2)
        try await expectCounts("paused")
        try await store.record(running: [(8, nil)])
        #expect(try await store.record(8, .failed("no")))
        try await store.record(running: [(9, nil)])
        #expect(try await store.record(done: [(9, "/x", 1_000_000)], isPair: false) { _, _ in } == [true])
        try await expectCounts("over")
        #expect(try await queue.retryFailed() == 1)
        #expect(try await queue.cancel("id-20"))
        #expect(try await queue.clear() == 1)
        try await expectCounts("cleared")
        #expect(try await queue.cancelAll() == count - 2)
        try await expectCounts("cancelled")
        #expect(try await queue.tasks().isEmpty)
    }
}
