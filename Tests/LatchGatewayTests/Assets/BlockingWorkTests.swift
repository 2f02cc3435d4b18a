import CLibrary
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import GatewayCore
@testable import LatchGateway
@testable import PictureLibrary

/// Work beside the loops, and how much of it there may be.
@Suite(.timeLimit(.minutes(20)))
struct BlockingWorkTests {
    /// Fills the threads of `work` until the gate opens.
    static func fill(_ work: BlockingWork, _ count: Int, until gate: ThreadGate) async -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<count {
            tasks.append(Task { try await work.run { _ in gate.pass() } })
            // In turn, so that it is known which of them runs.
            while gate.arrived + work.waitingCount <= number { await Task.yield() }
        }
        return tasks
    }

    @Test("work above the running limit waits, and work above the waiting limit is refused at once")
    func isBounded() async throws {
        let (work, gate) = (BlockingWork(running: 2, waiting: 3), ThreadGate())
        let tasks = await Self.fill(work, 5, until: gate)
        #expect(gate.arrived == 2 && work.waitingCount == 3)
        let error = await #expect(throws: GatewayError.self) { try await work.run { _ in } }
        #expect(error?.code == .busy)
        gate.open()
        for task in tasks { try await task.cancellableValue }
        #expect(gate.arrived == 5)
        #expect(try await work.run { _ in 7 } == 7)
    }

    @Test("cancelled work that still waits is not run")
    func skipsCancelledWork() async throws {
        let (work, gate) = (BlockingWork(running: 1, waiting: 3), ThreadGate())
        let tasks = await Self.fill(work, 2, until: gate)
        tasks[1].cancel()
        gate.open()
        try await tasks[0].value
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(gate.arrived == 1)
    }

    @Test("a list gets 503 with Retry-After if the queue of work is full")
    func retryAfterWhenFull() async throws {
        try await AssetFixture.with { fixture in
            let work = try #require(fixture.immich.base.gateway.library).work
            let gate = ThreadGate()
            let tasks = await Self.fill(work, 132, until: gate)
            let refused = try await fixture.post("/search/metadata", [:])
            #expect(refused.status == 503)
            #expect(refused.headers["Retry-After"] == "1")
            gate.open()
            for task in tasks { try await task.cancellableValue }
            #expect(try await fixture.post("/search/metadata", [:]).status == 200)
        }
    }
}

/// Holds threads until it is opened, and counts them.
final class ThreadGate: Sendable {
    private let isOpen = Atomic(false)
    private let count = Atomic(0)

    var arrived: Int { count.load(ordering: .acquiring) }

    func pass() {
        count.wrappingAdd(1, ordering: .acquiringAndReleasing)
        while !isOpen.load(ordering: .acquiring) { usleep(500) }
    }

    func open() {
        isOpen.store(true, ordering: .releasing)
    }
}
