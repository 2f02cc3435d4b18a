import TestSupport
import Testing

@testable import GatewayCore
@testable import PictureLibrary

/// The queue of the long reads of each person.
@Suite("The queue of timeline reads", .timeLimit(.minutes(5)))
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
                while await queue.waitingCount(of: "ada") <= number { await Task.yield() }
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
}
