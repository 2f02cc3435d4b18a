import Foundation
import TestSupport
import Testing

/// Both programs as a person runs them.
@Suite(.blocking, .inTurn, .timeLimit(.minutes(20))) struct WholeSystemTests {
    @Test("OX-1 OX-8 OX-13 a person signs in, calls the API and signs out")
    func endToEnd() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()

        let signedIn = try await fixture.signIn(to: gateway)
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let response = try await fixture.latch("request", "GET", "/api/me")
        #expect(response.output.contains(#""email":"ada@example.org""#), "\(response.errors)")
        let signedOut = try await fixture.latch("logout")

        #expect(signedOut.status == 0)
        #expect(try await fixture.latchd("sessions", "list").output.contains("No live sessions"))
        #expect(try await fixture.latch("whoami").status == 77)
    }

    @Test("OX-14 a killed gateway ends no session, and accepts it after a restart")
    func killedGateway() async throws {
        let fixture = try SystemFixture()
        let port = try HeldPort()
        let gateway = try await fixture.startGatewayWithPerson(port: port.number)
        _ = try await fixture.signIn(to: gateway)

        await gateway.kill()
        let offline = try await fixture.latch("whoami")
        #expect((offline.output + offline.errors).contains("ada@example.org"))
        let again = try await fixture.startGateway(port: port.number)

        let response = try await fixture.latch("whoami")
        #expect(response.status == 0 && response.output.contains("ada@example.org"), "\(response.errors)")
        _ = again
    }

    @Test("TT-7 a session that is revoked on the gateway ends, and the error says to sign in again")
    func revoked() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        _ = try await fixture.signIn(to: gateway)

        let revoked = try await fixture.latchd("sessions", "revoke", "--all")
        #expect(revoked.output == "Revoked 1 session.\n")
        // The bound on another process's revocation is stated; asking until it shows waits for the event itself.
        var response = try await fixture.latch("whoami")
        while response.status == 0 { response = try await fixture.latch("whoami") }

        #expect(response.status == 77)
        #expect(response.errors.contains("latch login"))
        #expect(try await fixture.latch("token").status == 77)
    }

    @Test func `SIGTERM ends the gateway with exit code 0`() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGateway()

        gateway.program.send(SIGTERM)

        #expect(await gateway.program.waitForExit() == 0)
        #expect(gateway.program.output.contains("Stopped."))
    }

    @Test("OX-16 token and password are in no file, log or response except the sealed file")
    func secrets() async throws {
        let fixture = try SystemFixture()
        let gateway = try await fixture.startGatewayWithPerson()
        let signedIn = try await fixture.signIn(to: gateway)
        let token = try await fixture.latch("token").output.trimmingCharacters(in: .newlines)
        let failed = try await fixture.latch(
            "login", gateway.address, "--email", SystemFixture.email, "--password-stdin",
            input: "wrong \(SystemFixture.password)\n")
        _ = try await fixture.latch("whoami")
        _ = try await fixture.latch("logout")
        await gateway.kill()

        #expect(token.count == 43)
        for secret in [token, SystemFixture.password] {
            #expect(try fixture.files(holding: secret) == [])
            for text in [signedIn.output, signedIn.errors, failed.output, failed.errors, gateway.program.output] {
                #expect(!text.leaks(secret))
            }
        }
    }

    @Test func `the demo of the README works`() async throws {
        let tools = try Products.path("latchd")
        let demo = try await Program.run(
            "bash", [Products.packageFolder + "/scripts/demo", (tools as NSString).deletingLastPathComponent])

        #expect(demo.status == 0, "\(demo.output)\n\(demo.errors)")
        #expect(demo.output.hasSuffix("All of it worked.\n"))
    }
}
