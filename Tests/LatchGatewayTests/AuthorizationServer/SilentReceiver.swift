import HTTPMessages
import HTTPServer
import Synchronization
import TestSupport

/// A client that accepts the connections on which it is told that sessions end, and answers none until it is released.
final class SilentReceiver: Sendable {
    private let arrived = Mutex(0)
    private let released = AsyncStream<Void>.makeStream()

    private init() {}

    /// The number of notices that arrived.
    var count: Int { arrived.withLock { $0 } }

    /// Answers all notices.
    func release() { released.continuation.finish() }

    /// Starts the client's server. `body` gets the client and the address that is told.
    static func with(_ body: (SilentReceiver, String) async throws -> Void) async throws {
        let client = SilentReceiver()
        var router = Router()
        router.on(.post, "/logout") { _ in
            client.arrived.withLock { $0 += 1 }
            for await _ in client.released.stream {}
            return ServerResponse(status: .ok, headers: [:])
        }
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
        try await attempt {
            let port = server.addresses.first?.port
            try await body(client, "http://127.0.0.1:\(port ?? 0)/logout")
        } finally: {
            client.release()
            await server.stop(drain: .zero)
        }
    }
}
