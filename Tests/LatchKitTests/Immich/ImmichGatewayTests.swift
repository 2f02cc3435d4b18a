import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import HTTPServer
import LatchGateway
import Synchronization
import TestSupport
import Testing

@testable import GatewayDialects
@testable import GatewayHTTP
@testable import LatchKit

/// The client against the real gateway with the dialect of Immich.
@Suite(.timeLimit(.minutes(20))) struct ImmichGatewayTests {
    @Test(
        "IM-5 IM-6 IM-9 IM-10 IM-11 IM-15 with a gateway a person signs in, lists and ends sessions, and uses a PIN")
    func endToEnd() async throws {
        let (folder, home) = (try TemporaryDirectory(), try HomeFixture())
        var settings = GatewaySettings(databasePath: folder.path + "/latchd.db")
        settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
        settings.onyx.isEnabled = false
        settings.immich.isEnabled = true
        let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in }, now: { home.clock.now })
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1), router: gateway.router)
        _ = try await gateway.stores.people.add(
            email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
        let port = try #require(server.addresses.first?.port)

        let latch = try await home.open()
        let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(port)")).requireServer()
        #expect(found.dialect.id.rawValue == "immich" && found.features.version == "v3.1.0")
        #expect(!found.features.signsInWithBrowser && found.features.warnings.isEmpty)
        let wrong = try await #require(throws: LatchError.self) {
            try await latch.signIn(PasswordSignIn(email: "ada@example.org", password: Secret("x")), to: found)
        }
        #expect(wrong.code == .wrongCredentials)
        let steps = Mutex<[SignInProgress]>([])
        let account = try await latch.signIn(
            PasswordSignIn(email: "Ada@example.org", password: Secret("correct horse 7")), to: found
        ) { step in steps.withLock { $0.append(step) } }
        #expect(steps.withLock { $0.contains(.realTimeOpened(isConnected: true)) })
        let session = try latch.session(for: account)
        #expect(try await session.identity().name == "Ada")
        let dialect = try #require(session.dialect as? ImmichDialect)
        let listed = try await dialect.sessions(with: session.client)
        #expect(listed.count == 1 && listed[0].isCurrent && listed[0].created != nil)

        let pin = try PIN(Secret("123456"))
        try await dialect.perform(.set(pin), with: session.client)
        let other = try await #require(throws: LatchError.self) {
            try await dialect.perform(.unlock(try PIN(Secret("000000"))), with: session.client)
        }
        #expect(other.code == .wrongPIN)
        try await dialect.perform(.unlock(pin), with: session.client)
        let state = try await dialect.pinState(with: session.client)
        #expect(state.isSet && state.isUnlocked && state.unlockedUntil != nil)
        try await dialect.perform(.lock, with: session.client)
        try await dialect.perform(.remove(.password(Secret("correct horse 7"))), with: session.client)

        try await latch.changePassword(
            PasswordChange(current: Secret("correct horse 7"), new: Secret("another horse 8")), of: account)
        #expect(try await session.identity().name == "Ada")
        #expect(try await latch.signOut(account).isRevoked)
        await latch.close()
        await server.stop(drain: .seconds(1))
        await gateway.close()
    }
}
