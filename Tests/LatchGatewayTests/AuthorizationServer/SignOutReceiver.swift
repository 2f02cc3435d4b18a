import HTTPMessages
import HTTPServer
import Synchronization
import TestSupport

/// A client that is told when its sessions end: what it received, and how it responds.
final class SignOutReceiver: Sendable {
    private let tokens = Mutex<[String]>([])
    private let status = Mutex<HTTPStatus>(.ok)
    private let arrival = AsyncStream<Void>.makeStream()

    private init() {}

    /// One element for each token that arrives.
    var arrivals: AsyncStream<Void> { arrival.stream }

    /// Starts the client's server. `body` gets the client and the address that is told.
    static func with(_ body: (SignOutReceiver, String) async throws -> Void) async throws {
        let client = SignOutReceiver()
        var router = Router()
        router.on(.post, "/logout") { request in client.response(request) }
        router.on(.get, "/elsewhere") { _ in client.response(nil) }
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: router)
        try await attempt {
            let port = server.addresses.first?.port
            try await body(client, "http://127.0.0.1:\(port ?? 0)/logout")
        } finally: {
            await server.stop(drain: .zero)
        }
    }

    private func response(_ request: ServerRequest?) -> ServerResponse {
        let token = request.flatMap { try? $0.form() }?["logout_token"] ?? "nothing"
        tokens.withLock { $0.append(token) }
        arrival.continuation.yield()
        let status = status.withLock { $0 }
        return ServerResponse(status: status, headers: status == .found ? ["Location": "/elsewhere"] : [:])
    }

    /// Responds with a status from now on.
    func respond(with new: HTTPStatus) { status.withLock { $0 = new } }

    /// Removes and returns the tokens that it received. A request without one is `nothing`.
    func take() -> [String] {
        tokens.withLock { tokens in
            defer { tokens = [] }
            return tokens
        }
    }
}
