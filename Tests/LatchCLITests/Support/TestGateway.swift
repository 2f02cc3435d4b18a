import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPMessages
import HTTPServer
import LatchGateway
import Synchronization
import TestSupport

/// A real gateway on a free port of 127.0.0.1, with one person and four routes besides its own.
final class TestGateway: Sendable {
    static let email = "ada@example.org"
    static let password = "correct horse 7"
    /// Bytes that are no text.
    static let binary: [UInt8] = [0, 255, 13, 10, 27, 128, 0]

    let gateway: Gateway
    let server: HTTPServer
    let folder: TemporaryDirectory
    /// Refuses connections once the server has stopped, and keeps the port from everybody else.
    private let held: HeldPort

    init(gateway: Gateway, server: HTTPServer, folder: TemporaryDirectory, at held: HeldPort) {
        (self.gateway, self.server, self.folder, self.held) = (gateway, server, folder, held)
    }

    var port: UInt16 { server.addresses.first?.port ?? 0 }
    var url: String { "http://127.0.0.1:\(port)" }

    /// Runs `body` with a gateway and closes everything after it.
    static func with(
        _ change: (inout GatewaySettings) -> Void = { _ in }, _ body: (TestGateway) async throws -> Void
    ) async throws {
        let folder = try TemporaryDirectory()
        var settings = GatewaySettings(databasePath: folder.file("latchd.db"))
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        change(&settings)
        let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in })
        var router = gateway.router
        addRoutes(to: &router)
        let held = try HeldPort()
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: UInt16(held.number))], loops: 1),
            router: router)
        let test = TestGateway(gateway: gateway, server: server, folder: folder, at: held)
        try await attempt {
            try await test.add(email)
            try await body(test)
        } finally: {
            await test.close()
        }
    }

    func add(_ email: String, mustChange: Bool = false) async throws {
        _ = try await gateway.stores.people.add(
            email: email, name: "Ada", password: Secret(Self.password), mustChange: mustChange)
    }

    /// Ends every session on the gateway, as an operator would.
    func revokeAll() async throws {
        for session in try await gateway.stores.sessions.list() where session.ended == nil {
            _ = try await gateway.stores.sessions.revoke(session.id)
        }
    }

    func liveSessions() async throws -> Int {
        try await gateway.stores.sessions.liveCount()
    }

    /// Refuses connections from now on.
    func stop() async {
        await server.stop(drain: .zero)
    }

    private func close() async {
        await server.stop(drain: .seconds(5))
        await gateway.close()
    }

    private static func addRoutes(to router: inout Router) {
        router.on(.get, "/api/bytes") { _ in
            ServerResponse(status: .ok, headers: ["Content-Type": "application/octet-stream"], body: binary)
        }
        router.on(.post, "/api/echo") { request in
            ServerResponse(
                status: .ok, headers: ["Content-Type": request.headers["Content-Type"] ?? ""], body: request.body)
        }
        router.on(.get, "/api/headers") { request in
            let lines = request.headers.filter { $0.name.lowercased() != "authorization" }.map {
                "\($0.name): \($0.value)"
            }
            return ServerResponse(status: .ok, headers: [:], body: Array(lines.joined(separator: "\n").utf8))
        }
        router.on(.get, "/api/teapot") { _ in
            ServerResponse(status: HTTPStatus(rawValue: 418), headers: [:], body: Array("short and stout".utf8))
        }
    }
}
