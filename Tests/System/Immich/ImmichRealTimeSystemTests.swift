import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// The real-time connection of the built gateway, opened by a Socket.IO client that others wrote.
@Suite("Immich's real-time connection", .blocking, .inTurn, .timeLimit(.minutes(4)))
struct ImmichRealTimeSystemTests {
    private static let program = Products.packageFolder + "/Tests/Programs/ImmichClients/realtime_client.py"

    private func token(_ gateway: RunningGateway) async throws -> String {
        let http = try HTTPClient()
        let body: JSONValue = ["email": .string(SystemFixture.email), "password": .string(SystemFixture.password)]
        let response = try await http.send(
            ClientRequest(
                method: .post, url: gateway.address + "/api/auth/login", headers: ["Content-Type": JSON.mediaType],
                body: body.encoded()))
        await http.close()
        return try #require(try JSONValue(parsing: response.body)["accessToken"]?.string)
    }

    @Test("IM-6 python-socketio connects and hears that 'latchd sessions revoke' ended its session")
    func revoked() async throws {
        let fixture = try SystemFixture(["LATCHD_DIALECTS_IMMICH_ENABLED": "true"])
        let gateway = try await fixture.startGatewayWithPerson()
        let client = try RunningProgram(
            try Schemathesis.tool("python"), [Self.program, gateway.address, try await token(gateway)],
            environment: Schemathesis.environment)
        try await client.line(containing: "on_server_version")
        #expect(try await fixture.latchd("sessions", "revoke", "--all").status == 0)
        try await client.line(containing: "on_session_delete")
        try await client.line(containing: "disconnected")
        #expect(await client.waitForExit() == 0)
    }

    @Test("IM-6 python-socketio hears that a wrong token is unauthorized")
    func unauthorized() async throws {
        let fixture = try SystemFixture(["LATCHD_DIALECTS_IMMICH_ENABLED": "true"])
        let gateway = try await fixture.startGatewayWithPerson()
        let client = try RunningProgram(
            try Schemathesis.tool("python"), [Self.program, gateway.address, "wrong"],
            environment: Schemathesis.environment)
        try await client.line(containing: #"error ["unauthorized"]"#)
        try await client.line(containing: "disconnected")
        #expect(await client.waitForExit() == 0)
    }
}
