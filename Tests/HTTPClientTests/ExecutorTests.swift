import HTTPClient
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@Suite("Tasks on a client's thread", .serialized, .timeLimit(.minutes(20)))
struct ExecutorTests {
    @Test("Many tasks that prefer the client's thread send sequential requests")
    func sequentialRequests() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            let tasks = (0..<8).map { number in
                Task(executorPreference: client.executor) {
                    var sizes: [Int] = []
                    for step in 1...20 {
                        let url = server.url("/bytes?bytes=\(number * 100 + step)")
                        sizes.append(try await client.send(ClientRequest(url: url)).body.count)
                        if step % 7 == 0 { await Task.yield() }
                    }
                    return sizes
                }
            }
            for (number, task) in tasks.enumerated() {
                let sizes = try await task.cancellableValue
                #expect(sizes == (1...20).map { number * 100 + $0 })
            }
        }
    }

    @Test("A task that prefers the client's thread also runs before the thread starts and after it has ended")
    func outsideThreadLifetime() async throws {
        let server = try await Fixture.server()
        let client = try HTTPClient(.init(proxy: ""))

        let task = Task(executorPreference: client.executor) {
            let first = try await client.send(ClientRequest(url: server.url("/bytes?bytes=3")))
            await client.close()
            let second = await #expect(throws: TransportError.self) {
                try await client.send(ClientRequest(url: server.url("/bytes?bytes=3")))
            }
            return (first.body.count, second?.code)
        }

        let (count, code) = try await task.cancellableValue
        #expect(count == 3)
        #expect(code == .other)
        let later = await Task(executorPreference: client.executor) { 7 }.value
        #expect(later == 7)
    }

    @Test("Cancelling from the client's own thread ends a request once")
    func cancelling() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            for _ in 0..<20 {
                let doomed = Task(executorPreference: client.executor) {
                    try await client.send(ClientRequest(url: server.url("/never"), timeout: nil))
                }
                let other = Task(executorPreference: client.executor) {
                    let response = try await client.send(ClientRequest(url: server.url("/bytes?bytes=5")))
                    doomed.cancel()
                    return response.body.count
                }
                let count = try await other.cancellableValue
                #expect(count == 5)
                await #expect(throws: CancellationError.self) { try await doomed.cancellableValue }
            }
        }
    }
}
