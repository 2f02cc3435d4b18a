import Foundation
import TestSupport
import Testing

/// Both programs as a person runs them.
@Suite(.inTurn, .timeLimit(.minutes(20))) struct WholeSystemTests {
    @Test("OX-1 OX-8 OX-13 a person signs in, calls the API and signs out")
    func wholeWay() async throws {
        let house = try House()
        let gateway = try await house.startGatewayWithPerson()

        let signedIn = try await house.signIn(to: gateway)
        #expect(signedIn.status == 0, "\(signedIn.errors)")
        let answer = try await house.latch("request", "GET", "/api/me")
        #expect(answer.output.contains(#""email":"ada@example.org""#), "\(answer.errors)")
        let signedOut = try await house.latch("logout")

        #expect(signedOut.status == 0)
        #expect(try await house.latchd("sessions", "list").output.contains("No live sessions"))
        #expect(try await house.latch("whoami").status == 77)
    }

    @Test("OX-14 a gateway that was killed does not sign anybody out, and knows the session when it is back")
    func killedGateway() async throws {
        let house = try House()
        let port = try HeldPort()
        let gateway = try await house.startGatewayWithPerson(port: port.number)
        _ = try await house.signIn(to: gateway)

        await gateway.kill()
        let offline = try await house.latch("whoami")
        #expect((offline.output + offline.errors).contains("ada@example.org"))
        let again = try await house.startGateway(port: port.number)

        let answer = try await house.latch("whoami")
        #expect(answer.status == 0 && answer.output.contains("ada@example.org"), "\(answer.errors)")
        _ = again
    }

    @Test("TT-7 a session revoked on the gateway ends, and the person is told to sign in again")
    func revoked() async throws {
        let house = try House()
        let gateway = try await house.startGatewayWithPerson()
        _ = try await house.signIn(to: gateway)

        let revoked = try await house.latchd("sessions", "revoke", "--all")
        #expect(revoked.output == "Revoked 1 session.\n")
        // The bound on another process's revocation is stated; asking until it shows waits for the event itself.
        var answer = try await house.latch("whoami")
        while answer.status == 0 { answer = try await house.latch("whoami") }

        #expect(answer.status == 77)
        #expect(answer.errors.contains("latch login"))
        #expect(try await house.latch("token").status == 77)
    }

    @Test func `SIGTERM ends the gateway with exit code 0`() async throws {
        let house = try House()
        let gateway = try await house.startGateway()

        gateway.program.send(SIGTERM)

        #expect(await gateway.program.waitForExit() == 0)
        #expect(gateway.program.output.contains("Stopped."))
    }

    @Test("OX-16 neither token nor password lie in any file, log or answer but the sealed one")
    func secrets() async throws {
        let house = try House()
        let gateway = try await house.startGatewayWithPerson()
        let signedIn = try await house.signIn(to: gateway)
        let token = try await house.latch("token").output.trimmingCharacters(in: .newlines)
        let failed = try await house.latch(
            "login", gateway.address, "--email", House.email, "--password-stdin", input: "wrong \(House.password)\n")
        _ = try await house.latch("whoami")
        _ = try await house.latch("logout")
        await gateway.kill()

        #expect(token.count == 43)
        for secret in [token, House.password] {
            #expect(try house.files(holding: secret) == [])
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
