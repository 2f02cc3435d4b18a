import TestSupport
import Testing

@testable import GatewayCore
@testable import PictureLibrary

/// The queue of the long reads of each person.
@Suite("The queue of long reads", .timeLimit(.minutes(5)))
struct ReadQueueTests {
    @Test("one read of a person runs at a time, in order, and another person's read does not wait")
    func oneAtATime() async throws {
        let queue = ReadQueue()
        let (started, start) = AsyncStream.makeStream(of: String.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                try await queue.run(of: "ada") {
                    start.yield("first")
                    for await _ in released { break }
                }
            }
            var steps = started.makeAsyncIterator()
            #expect(await steps.next() == "first")
            for number in 0..<ReadQueue.maximumWaiting {
                group.addTask { try await queue.run(of: "ada") { _ = start.yield("\(number)") } }
                try await eventually { queue.waitingCount(of: "ada") > number }
            }

            let refusal = await #expect(throws: GatewayError.self) { try await queue.run(of: "ada") {} }
            #expect(refusal?.code == .busy)
            try await queue.run(of: "bob") { _ = start.yield("bob's") }
            #expect(await steps.next() == "bob's")

            release.yield()
            for number in 0..<ReadQueue.maximumWaiting { #expect(await steps.next() == "\(number)") }
            try await group.waitForAll()
        }
        try await queue.run(of: "ada") {}
    }

    @Test("a read that fails lets the next one start")
    func failure() async throws {
        let queue = ReadQueue()
        await #expect(throws: CancellationError.self) { try await queue.run(of: "ada") { throw CancellationError() } }
        #expect(try await queue.run(of: "ada") { 7 } == 7)
    }

    @Test("a read that is cancelled while it waits leaves its place at once, and one that may not be refused waits")
    func cancellation() async throws {
        let queue = ReadQueue()
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup { group in
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            group.addTask {
                try await queue.run(of: "ada") {
                    start.yield()
                    for await _ in released { break }
                }
            }
            for await _ in started { break }
            let waiting = (0..<ReadQueue.maximumWaiting).map { _ in
                Task { try await queue.run(of: "ada") { _ = Issue.record("A cancelled read has run.") } }
            }
            try await eventually { queue.waitingCount(of: "ada") >= waiting.count }
            group.addTask { try await queue.run(of: "ada", mayRefuse: false) {} }
            try await eventually { queue.waitingCount(of: "ada") != waiting.count }
            for task in waiting {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(queue.waitingCount(of: "ada") == 1)
            release.yield()
            try await group.waitForAll()
        }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await queue.run(of: "ada") { _ = Issue.record("A cancelled read has run.") }
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(queue.waitingCount(of: "ada") == 0)
    }
}
