import Foundation
import HTTPClient
import HTTPMessages
import TestSupport
import Testing

/// `latchd sandbox` as the programs that use it see it.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct SandboxTests {
    private func folders(_ fixture: SystemFixture) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path).filter {
            $0.hasPrefix("latchd-sandbox")
        }
    }

    private func fixture() throws -> SystemFixture {
        let fixture = try SystemFixture()
        return SystemFixture(sharing: fixture, ["TMPDIR": fixture.folder.path])
    }

    @Test(
        "The first line is the JSON, all servers respond by then, and a signal removes the folder",
        arguments: [SIGTERM, SIGINT])
    func lifetime(_ signal: Int32) async throws {
        let fixture = try fixture()
        let sandbox = try await RunningSandbox(fixture)
        #expect(try folders(fixture).count == 1)

        let signedIn = try await fixture.latch(
            "login", sandbox.onyx, "--email", sandbox.email, "--password-stdin", input: sandbox.password + "\n")
        let status = await sandbox.end(by: signal)

        #expect(signedIn.status == 0, "\(signedIn.errors)")
        #expect(status == 0)
        #expect(sandbox.program.output.split(separator: "\n").count == 1)
        #expect(try folders(fixture).isEmpty)
    }

    @Test("A terminal shows the addresses and the people who can sign in")
    func text() async throws {
        let fixture = try fixture()
        let program = try RunningProgram(Products.path("latchd"), ["sandbox"], environment: fixture.environment)
        try await program.line(containing: "Ctrl-C")
        program.send(SIGINT)
        #expect(await program.waitForExit() == 0)
        #expect(program.output.contains("onyx          http://127.0.0.1:"))
        #expect(program.output.contains("backend       http://127.0.0.1:"))
        #expect(program.output.contains("/backend/photos"))
        #expect(program.output.contains("ada@example.org     ada-plays-in-the-sandbox"))
        #expect(try folders(fixture).isEmpty)
    }

    @Test("Invalid arguments are reported in one line, and leave nothing")
    func refusals() async throws {
        let fixture = try fixture()
        let open = try await fixture.latchd("sandbox", "--host", "0.0.0.0")
        #expect(open.status == 64 && open.errors.contains("use 127.0.0.1 or ::1"))
        let unknown = try await fixture.latchd("sandbox", "--port", "immich2=1")
        #expect(unknown.status == 64 && unknown.errors.contains("NAME=PORT with issuer or onyx"))
        #expect(try await fixture.latchd("sandbox", "--port", "onyx=1", "--port", "onyx=2").status == 64)
        let sandbox = try await RunningSandbox(fixture)
        let port = sandbox.issuer.split(separator: ":").last.map(String.init) ?? ""
        let result = try await fixture.latchd("sandbox", "--port", "issuer=\(port)")
        #expect(result.status == 69 && result.errors.split(separator: "\n").count == 1)
        await sandbox.end()
        #expect(try folders(fixture).isEmpty)
    }

    @Test("A gateway under development can use the issuer as its own client")
    func anotherClient() async throws {
        let fixture = try fixture()
        let redirect = "http://127.0.0.1:8000/callback"
        let sandbox = try await RunningSandbox(
            fixture, "--client", "mine=\(redirect)", "--client", "mine=\(redirect)/2")
        let client = try HTTPClient()

        for (id, redirect, status) in [
            ("mine", redirect, 200), ("mine", redirect + "/2", 200), ("mine", redirect + "/3", 400),
            ("other", redirect, 400),
        ] {
            let query = FormURLEncoded.encode([
                ("response_type", "code"), ("client_id", id), ("redirect_uri", redirect), ("scope", "openid"),
                ("code_challenge", String(repeating: "A", count: 43)), ("code_challenge_method", "S256"),
            ])
            let response = try await client.send(ClientRequest(url: "\(sandbox.issuer)/authorize?\(query)"))
            #expect(response.status.rawValue == status)
        }

        await sandbox.end()
        for wrong in ["mine", "mine=", "=x://y", "latchd=http://127.0.0.1/", "mine=callback"] {
            #expect(try await fixture.latchd("sandbox", "--client", wrong).status == 64)
        }
    }
}
