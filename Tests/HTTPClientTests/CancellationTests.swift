import HTTPClient
import HTTPMessages
import TestSupport
import Testing

@Suite("Cancellation", .serialized, .timeLimit(.minutes(20)))
struct CancellationTests {
    @Test("Cancelling the task closes the connection and throws CancellationError")
    func cancelled() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            let task = Task { try await client.send(ClientRequest(url: server.url("/never"), timeout: nil)) }
            #expect(await server.line("request") != nil)
            task.cancel()

            await #expect(throws: CancellationError.self) { try await task.cancellableValue }
            #expect(await server.line("closed") == "closed 1")
        }
    }

    @Test("A task that is cancelled already sends nothing")
    func cancelledBefore() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await client.send(ClientRequest(url: server.url("/echo?first")))
            }
            await #expect(throws: CancellationError.self) { try await task.cancellableValue }
            _ = try await client.send(ClientRequest(url: server.url("/echo?second")))
        }

        #expect(await server.line("request") == "request 1 GET /echo?second")
    }

    @Test("Cancelling at any time ends each request exactly once and affects no other")
    func racing() async throws {
        let server = try await Fixture.server()

        try await withClient { client in
            for round in 0..<42 {
                let doomed = Task { try await client.send(ClientRequest(url: server.url("/echo"))) }
                let other = Task { try await client.send(ClientRequest(url: server.url("/bytes?bytes=5"))) }
                for _ in 0..<round % 21 { await Task.yield() }
                doomed.cancel()
                if case .failure(let error) = await doomed.result { #expect(error is CancellationError) }
                let response = try await other.cancellableValue
                #expect(response.body.count == 5)
            }
        }
    }

    @Test("Closing the client ends running requests and refuses later ones")
    func closing() async throws {
        let server = try await Fixture.server()
        let client = try HTTPClient(.init(proxy: ""))
        let task = Task { try await client.send(ClientRequest(url: server.url("/never"), timeout: nil)) }
        #expect(await server.line("request") != nil)

        await client.close()

        await #expect(throws: CancellationError.self) { try await task.cancellableValue }
        #expect(await server.line("closed") == "closed 1")
        let later = await #expect(throws: TransportError.self) {
            try await client.send(ClientRequest(url: server.url()))
        }
        #expect(later?.code == .other && later?.message.contains("closed") == true)
        await client.close()
    }

    @Test("A client is closed after its use, also if the body throws")
    func closingAfter() async throws {
        let server = try await Fixture.server()
        let client = try HTTPClient(.init(proxy: ""))

        await #expect(throws: Failed.self) {
            try await client.closeAfter { client in
                _ = try await client.send(ClientRequest(url: server.url("/echo")))
                throw Failed()
            }
        }

        #expect(await server.line("closed") == "closed 1")
        await #expect(throws: TransportError.self) { try await client.send(ClientRequest(url: server.url())) }
    }

    private struct Failed: Error {}

    @Test("A deallocated client closes its connections")
    func closesOnDeinit() async throws {
        let server = try await Fixture.server()
        var client: HTTPClient? = try HTTPClient(.init(proxy: ""))
        _ = try await client?.send(ClientRequest(url: server.url("/echo")))

        client = nil

        #expect(await server.line("closed") == "closed 1")
    }

    @Test("Cancelling during a slow name lookup does not wait for it")
    func lookup() async throws {
        try await withClient { client in
            let task = Task { try await client.send(ClientRequest(url: "https://slow.nowhere.invalid/", timeout: nil)) }
            await Task.yield()
            task.cancel()
            let error = await #expect(throws: (any Error).self) { try await task.cancellableValue }
            #expect(error is CancellationError || (error as? TransportError)?.code == .nameNotFound)
        }
    }
}
