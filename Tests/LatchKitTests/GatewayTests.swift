import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPServer
import LatchGateway
import LatchKit
import TestSupport
import Testing

/// The client against the real gateway, over real sockets and with both real databases.
@Suite(.timeLimit(.minutes(20))) struct GatewayTests {
    private final class GatewayFixture: Sendable {
        let folder: TemporaryDirectory
        let settings: GatewaySettings
        let home: HomeFixture

        init() throws {
            folder = try TemporaryDirectory()
            home = try HomeFixture()
            var settings = GatewaySettings(databasePath: folder.path + "/latchd.db")
            settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
            self.settings = settings
        }

        func start(port: UInt16 = 0) async throws -> (gateway: Gateway, server: HTTPServer) {
            let gateway = try await Gateway.open(
                settings, logWriter: LogWriter { _ in }, now: { [home] in home.clock.now })
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: port)], loops: 1),
                router: gateway.router)
            return (gateway, server)
        }
    }

    @Test(
        "OX-8 OX-11 OX-14 a session survives the gateway's restart and is renewed, and its revocation is reported"
    )
    func endToEnd() async throws {
        let fixture = try GatewayFixture()
        var (gateway, server) = try await fixture.start()
        let person = try await gateway.stores.people.add(
            email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
        let port = try #require(server.addresses.first?.port)
        let latch = try await fixture.home.open()
        let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(port)")).requireServer()
        let account = try await latch.signIn(
            PasswordSignIn(email: "Ada@example.org", password: Secret("correct horse 7")), to: found)
        let session = try latch.session(for: account)
        #expect(try await session.identity().email == "ada@example.org")

        await server.stop(drain: .seconds(1))
        await gateway.close()
        #expect(try await session.validToken().count > 0)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(error.code == .connectionRefused)
        (gateway, server) = try await fixture.start(port: port)
        #expect(try await session.identity().email == "ada@example.org")

        fixture.home.clock.advance(by: 601)
        try await session.refresh()
        #expect(try await session.client.send(.get, "/api/me").status == .ok)

        _ = try await gateway.stores.people.disable(person.id)
        let ended = try await #require(throws: LatchError.self) { try await session.client.send(.get, "/api/me") }
        #expect(ended.code == .sessionEnded)
        #expect(try await latch.accounts.activeAccount()?.isSignedIn == false)
        await latch.close()
        await server.stop(drain: .seconds(1))
        await gateway.close()
    }

    @Test("OX-13 signing out ends the session at the gateway, and a wrong password is reported")
    func signOut() async throws {
        let fixture = try GatewayFixture()
        let (gateway, server) = try await fixture.start()
        _ = try await gateway.stores.people.add(
            email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
        let port = try #require(server.addresses.first?.port)
        let latch = try await fixture.home.open()
        let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(port)")).requireServer()
        let wrong = try await #require(throws: LatchError.self) {
            try await latch.signIn(PasswordSignIn(email: "ada@example.org", password: Secret("x")), to: found)
        }
        #expect(wrong.code == .wrongCredentials)

        let account = try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse 7")), to: found)
        #expect(try await latch.signOut(account).isRevoked)
        #expect(try await latch.accounts.accounts().isEmpty)
        await latch.close()
        await server.stop(drain: .seconds(1))
        await gateway.close()
    }
}
