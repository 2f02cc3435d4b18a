import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latchd serve` waits for its database.
@Suite("Start without a database", .blocking, .inTurn, .timeLimit(.minutes(20)))
struct DatabaseStartTests {
    private func status(_ path: String, of gateway: RunningProgram) async throws -> HTTPStatus? {
        let line = try await gateway.line(containing: "listening")
        let port = try #require(line.split(separator: ":").last)
        let client = try HTTPClient()
        let response = try await client.send(ClientRequest(url: "http://127.0.0.1:\(port)\(path)"))
        await client.close()
        return response.status
    }

    private func expectServing(_ gateway: RunningProgram) async throws {
        try await gateway.line(containing: "The database responds.")
        try await eventually { try await status("/readyz", of: gateway) == .ok }
        let reasons = gateway.output.components(separatedBy: "Waiting for the database.").dropFirst().map {
            $0.prefix { $0 != "\n" }
        }
        #expect(Set(reasons).count == reasons.count, "\(reasons)")
        gateway.send(SIGTERM)
        #expect(await gateway.waitForExit() == 0)
    }

    @Test func `a gateway waits for a server that has no connection left, and logs each reason once`() async throws {
        let server = try await PostgreSQLServer()
        let address = try await server.createDatabase()
        let name = PostgreSQLServer.name(ofDatabaseAt: address)
        try await server.query("CREATE ROLE \(name) LOGIN CONNECTION LIMIT 0", in: name)
        try await server.query("ALTER DATABASE \(name) OWNER TO \(name)", in: name)
        // The gateway's own timeout, which /readyz waits for.
        let short = address.replacing("latchd@", with: "\(name)@")
            .replacing("connect_timeout=\(SuccessTimeout.seconds)", with: "connect_timeout=2")
        let fixture = try SystemFixture().with(database: short)

        await server.stop(SIGINT)
        let gateway = try fixture.beginGateway()
        try await gateway.line(containing: "Waiting for the database.")
        try await server.start()
        let line = try await gateway.line(containing: "too many connections")
        #expect(line.contains("Waiting for the database.") && line.contains("'\(name)'"))
        try await server.query("ALTER ROLE \(name) CONNECTION LIMIT -1", in: name)
        try await gateway.line(containing: "The database responds.")
        try await eventually { try await status("/readyz", of: gateway) == .ok }

        try await server.query("ALTER ROLE \(name) CONNECTION LIMIT 0", in: name)
        try await server.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(name)'", in: name)
        try await eventually { try await status("/readyz", of: gateway) == .serviceUnavailable }
        try await server.query("ALTER ROLE \(name) CONNECTION LIMIT -1", in: name)
        try await expectServing(gateway)
    }

    @Test func `a gateway waits for a server that does not run, and ends at a signal meanwhile`() async throws {
        let server = try await PostgreSQLServer()
        let fixture = try await SystemFixture().with(database: server.createDatabase())
        await server.stop(SIGINT)
        let first = try fixture.beginGateway()
        let second = try fixture.beginGateway()
        try await first.line(containing: "Waiting for the database.")
        try await second.line(containing: "Waiting for the database.")
        first.send(SIGTERM)
        #expect(await first.waitForExit() == 0)
        try await server.start()
        try await expectServing(second)
    }
}
