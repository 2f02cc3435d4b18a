import Foundation
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// What clients see of a server that stops: every connection that they consider open gets its response.
@Suite("Stopping without a lost request", .blocking, .timeLimit(.minutes(20)))
struct StopTests {
    /// A kind of address that clients connect to.
    enum Kind: CaseIterable { case tcp, unix }

    /// A server on an address of one kind. Its timeouts do not decide anything.
    private struct Fixture {
        let folder: TemporaryDirectory
        let server: TestServer
        let connect: @Sendable () throws -> RawSocket

        init(_ kind: Kind, loops: Int = 2, connections: Int? = nil, router: Router = .sample) async throws {
            let folder = try TemporaryDirectory()
            self.folder = folder
            let server = try await TestServer(
                TestServer.configuration {
                    if kind == .unix { $0.listeners = [.unix(path: folder.file("server.sock"))] }
                    $0.loops = loops
                    $0.connectionLimit = connections
                    $0.headerTimeout = .seconds(36_000)
                }, router: router)
            self.server = server
            let port = server.port
            connect = {
                kind == .unix ? try RawSocket(path: folder.file("server.sock")) : try RawSocket(port: port)
            }
        }

        /// Begins to stop a server that something keeps from stopping, and waits until each loop knows it.
        func beginStop(after delay: Duration) async -> Task<Void, Never> {
            let stop = Task { [server] in await server.server.stop(after: delay, drain: .seconds(36_000)) }
            for loop in server.server.loops {
                while await !withCheckedContinuation({ result in
                    loop.perform { result.resume(returning: $0.isStopping) }
                }) {
                    await Task.yield()
                }
            }
            return stop
        }

        /// Waits until the server refuses connections.
        func untilRefused() { while (try? connect()) != nil {} }
    }

    /// What the clients of a test have done, and may expect.
    private final class Progress: Sendable {
        let served = Atomic(0)
        let isStopping = Atomic(false)
    }

    private static let request = "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"

    /// Sends a request, and expects its response and the end of the connection.
    private static func expectLastResponse(on socket: RawSocket) throws {
        try socket.write(request)
        let text = try socket.readToEnd()
        #expect(text.hasPrefix("HTTP/1.1 200 OK") && text.hasSuffix("\r\n\r\nhello"), "\(text)")
        #expect(text.contains("\r\nConnection: close\r\n"), "\(text)")
    }

    @Test(
        "before the server stops it answers on open and new connections, and ends each one with its response",
        arguments: Kind.allCases)
    func delay(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let open = try fixture.connect()
        try open.write(Self.request)
        #expect(try open.readResponse().body == "hello")

        let stop = await fixture.beginStop(after: .seconds(36_000))
        try Self.expectLastResponse(on: open)
        for _ in 0..<20 { try Self.expectLastResponse(on: fixture.connect()) }

        // A second stop does not wait for the rest of the time.
        await fixture.server.server.stop(drain: .zero)
        await stop.value
        #expect(throws: RawSocket.Failure.self) { try fixture.connect() }
    }

    @Test(
        "a connection that was open before the server stopped listening still gets its first response",
        arguments: Kind.allCases)
    func firstRequest(_ kind: Kind) async throws {
        let fixture = try await Fixture(kind)
        let sockets = try (0..<20).map { _ in try fixture.connect() }
        async let stop: Void = fixture.server.server.stop(drain: .seconds(36_000))
        await BackgroundThread.run { fixture.untilRefused() }
        for socket in sockets { try Self.expectLastResponse(on: socket) }
        await stop
    }

    @Test("connections that wait for others to end are answered before the server stops", arguments: Kind.allCases)
    func queue(_ kind: Kind) async throws {
        let waiting = LifetimeTests.Waiting()
        let fixture = try await Fixture(kind, loops: 1, connections: 1, router: waiting.router)
        let first = try fixture.connect()
        try first.write("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        var seen = waiting.seen.makeAsyncIterator()
        #expect(await seen.next() == "started")
        let others = try (0..<30).map { _ in try fixture.connect() }

        let stop = await fixture.beginStop(after: .zero)
        waiting.open.yield()
        #expect(try first.readToEnd().hasSuffix("waited"))
        for socket in others { try Self.expectLastResponse(on: socket) }
        await stop.value
    }

    @Test(
        "clients that connect all the time get every response until they are refused", arguments: Kind.allCases,
        [Duration.zero, .milliseconds(200)])
    func load(_ kind: Kind, delay: Duration) async throws {
        let fixture = try await Fixture(kind)
        let progress = Progress()
        let connect = fixture.connect
        try await withThrowingTaskGroup { group in
            for _ in 0..<32 {
                group.addTask {
                    let failure: String? = await BackgroundThread.run {
                        while true {
                            let socket: RawSocket
                            do { socket = try connect() } catch {
                                return progress.isStopping.load(ordering: .acquiring) ? nil : "\(error)"
                            }
                            do {
                                try socket.write("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
                                try socket.write("body")
                                guard try socket.readResponse().body == "body" else { return "Another body." }
                            } catch {
                                return "\(error)"
                            }
                            progress.served.add(1, ordering: .relaxed)
                        }
                    }
                    #expect(failure == nil)
                }
            }
            try await eventually { progress.served.load(ordering: .relaxed) > 200 }
            progress.isStopping.store(true, ordering: .releasing)
            await fixture.server.server.stop(after: delay, drain: .seconds(36_000))
            try await group.waitForAll()
        }
    }

    @Test("a connection that sends no request does not keep the server from stopping")
    func silentConnection() async throws {
        let server = try await TestServer(TestServer.configuration { $0.headerTimeout = .seconds(1) })
        let silent = try server.connect()
        await server.server.stop(drain: .seconds(36_000))
        #expect(try silent.readToEnd() == "")
    }
}
