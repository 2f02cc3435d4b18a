import HTTPMessages
import HTTPServer
import Synchronization
import TestSupport

/// A real server on a free port of the loopback address, stopped by the test that started it.
final class TestServer: Sendable {
    let server: HTTPServer
    let accesses: AsyncStream<AccessRecord>
    let events: AsyncStream<ServerEvent>
    private let eventContinuation: AsyncStream<ServerEvent>.Continuation

    /// Settings that tests change; two loops, as in use.
    static func configuration(_ change: (inout HTTPServer.Configuration) -> Void = { _ in }) -> HTTPServer.Configuration
    {
        var configuration = HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 2)
        change(&configuration)
        return configuration
    }

    init(
        _ configuration: HTTPServer.Configuration = TestServer.configuration(), router: Router = .sample
    ) async throws {
        let (accesses, accessContinuation) = AsyncStream.makeStream(of: AccessRecord.self)
        let (events, eventContinuation) = AsyncStream.makeStream(of: ServerEvent.self)
        self.accesses = accesses
        self.events = events
        self.eventContinuation = eventContinuation
        server = try await HTTPServer.start(
            configuration, router: router, onAccess: { accessContinuation.yield($0) },
            onLog: { eventContinuation.yield($0) })
    }

    var port: Int { server.addresses.first?.port.map(Int.init) ?? 0 }

    func connect(from source: String? = nil, deadline: Int = SuccessTimeout.seconds) throws -> RawSocket {
        try RawSocket(port: port, from: source, deadline: deadline)
    }

    /// One request on a connection of its own, and everything that came back until the server closed it.
    func exchange(_ request: String) throws -> String {
        let socket = try connect()
        try socket.write(request)
        return try socket.readToEnd()
    }

    /// All events of a server that has stopped.
    func eventsSoFar() async -> [ServerEvent] {
        eventContinuation.finish()
        return await events.reduce(into: []) { $0.append($1) }
    }

    func stop() async {
        await server.stop(drain: .seconds(0))
    }
}

extension Router {
    /// Routes that answer with what they were given.
    static var sample: Router {
        var router = Router()
        router.on(.get, "/") { _ in .text("root") }
        router.on(.get, "/hello") { _ in .text("hello") }
        router.on(.post, "/echo") { ServerResponse(body: $0.body) }
        router.on(.get, "/items/{id}", parameters: Int.self) { _, id in .text("item \(id)") }
        router.on(.delete, "/items/{id}", parameters: Int.self) { _, _ in ServerResponse(status: .noContent) }
        router.on(.get, "/items/new") { _ in .text("new") }
        router.on(.get, "/words/{word}/{other}", parameters: String.self, String.self) { _, word, other in
            .text("\(word)|\(other)")
        }
        router.on(.get, "/query") { .text($0.queryValues("a").joined(separator: ",")) }
        router.on(.get, "/split") { _ in ServerResponse(headers: ["X-Bad": "a\r\nX-Other: b"]) }
        router.on(.get, "/later") { _ in
            await Task.yield()
            return .text("later")
        }
        return router
    }
}
