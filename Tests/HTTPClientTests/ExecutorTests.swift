import Foundation
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

    @Test("The request after an ended transfer is sent before the next response is read", .blocking)
    func nextRequestFirst() async throws {
        let folder = try TemporaryDirectory()
        let server = try PausedServer()
        defer { server.end() }

        try await withClient { client in
            let tasks = try ["a", "b"].map { name in
                let part = try DownloadPart(path: folder.file(name))
                return Task(executorPreference: client.executor) {
                    let file = ClientRequest(url: server.url(name))
                    _ = try await client.download(file, into: part) { _ in server.recordBegin() }
                    _ = try await client.send(ClientRequest(url: server.url("next")))
                }
            }
            server.waitForRequests(2)
            // On the client's thread, so that it finds both responses at the same time.
            await Task(executorPreference: client.executor) { server.respond(to: 2) }.value
            for task in tasks { try await task.cancellableValue }
        }

        #expect(server.followingRequests == [true, true])
    }

    @Test("Six connections stay open when their transfers end one after another", .blocking)
    func idleConnections() async throws {
        let server = try PausedServer()
        defer { server.end() }

        try await withClient { client in
            for _ in 0..<2 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask { _ = try await client.send(ClientRequest(url: server.url("a"))) }
                    }
                    server.waitForRequests(6)
                    for _ in 0..<6 {
                        server.respond(to: 1)
                        try await group.next()
                    }
                }
            }
        }

        #expect(server.connectionCount == 6)
    }
}

/// Responds to requests for `/next` at once, and to all others when told.
private final class PausedServer: Sendable {
    private let listener: LoopbackListener
    private let received = DispatchSemaphore(value: 0)
    private let release = DispatchSemaphore(value: 0)
    private let responded = DispatchSemaphore(value: 0)
    private let next = DispatchSemaphore(value: 0)
    private let state = Mutex((connections: 0, followingRequests: [Bool]()))

    init() throws {
        listener = try LoopbackListener()
        listener.serve { [weak self] connection in self?.serve(connection) }
    }

    private func serve(_ connection: Int32) {
        state.withLock { $0.connections += 1 }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        // Over loopback, a request without a body comes in one piece.
        while read(connection, &bytes, bytes.count) > 0 {
            let isNext = bytes.starts(with: "GET /next".utf8)
            if isNext {
                next.signal()
            } else {
                received.signal()
                release.wait()
            }
            let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx".utf8)
            _ = write(connection, response, response.count)
            if !isNext { responded.signal() }
        }
    }

    func url(_ name: String) -> String { "http://127.0.0.1:\(listener.port)/\(name)" }

    var connectionCount: Int { state.withLock(\.connections) }

    /// For each response that began, whether a request for `/next` came before it. The first one waits for none.
    var followingRequests: [Bool] { state.withLock(\.followingRequests) }

    func recordBegin() {
        let isFirst = followingRequests.isEmpty
        let isInTime = isFirst || next.wait(timeout: .now() + .seconds(SuccessTimeout.seconds)) == .success
        state.withLock { $0.followingRequests.append(isInTime) }
    }

    func waitForRequests(_ count: Int) { for _ in 0..<count { received.wait() } }

    func respond(to count: Int) {
        for _ in 0..<count { release.signal() }
        for _ in 0..<count { responded.wait() }
    }

    func end() { listener.end() }
}
