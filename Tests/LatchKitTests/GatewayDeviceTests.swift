import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayHTTP
import HTTPServer
import LatchGateway
import TestSupport
import Testing

@testable import GatewayDialects
@testable import LatchKit

/// Signing in with a code on another device, at the dialects of the real gateway.
@Suite(.timeLimit(.minutes(20))) struct GatewayDeviceTests {
    private struct Fixture {
        let gateway: Gateway
        let server: HTTPServer
        let home: HomeFixture
        let latch: LatchClient
        let found: Server
        /// Keeps the port from others.
        let port: HeldPort

        /// A gateway with one dialect, and Ada.
        static func with(
            _ change: (inout GatewaySettings) -> Void, _ body: (Fixture) async throws -> Void
        ) async throws {
            let (folder, home) = (try TemporaryDirectory(), try HomeFixture())
            var settings = GatewaySettings(databasePath: folder.path + "/latchd.db")
            settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
            settings.onyx.isEnabled = false
            settings.pages.isEnabled = true
            settings.authorizationServer.isEnabled = true
            settings.authorizationServer.servesDialectsToDevices = true
            change(&settings)
            // The issuer contains the port.
            let port = try HeldPort()
            let number = UInt16(port.number)
            settings.publicURL = "http://127.0.0.1:\(number)"
            let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in }, now: { home.clock.now })
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: number)], loops: 1),
                router: gateway.router)
            let latch = try await home.open()
            try await attempt {
                _ = try await gateway.stores.people.add(
                    email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
                let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(number)")).requireServer()
                try await body(
                    Fixture(gateway: gateway, server: server, home: home, latch: latch, found: found, port: port))
            } finally: {
                await latch.close()
                await server.stop(drain: .seconds(1))
                await gateway.close()
            }
        }

        /// Signs in on the device.
        func signIn(allows: Bool = true) async throws -> Account {
            try await latch.signIn(onDeviceTo: found, at: gateway, allows: allows)
        }
    }

    private static let dialects: [(String, @Sendable (inout GatewaySettings) -> Void)] = [
        ("onyx", { $0.onyx.isEnabled = true }), ("immich", { $0.immich.isEnabled = true }),
        ("timetracker", { $0.timeTracker.isEnabled = true }), ("relate-mail", { $0.relateMail.isEnabled = true }),
    ]

    @Test(
        "RFC 8628 latch gets an ordinary account of the dialect, and signs it out",
        arguments: ["onyx", "immich", "timetracker", "relate-mail"])
    func signIn(dialect: String) async throws {
        let change = try #require(Self.dialects.first { $0.0 == dialect }?.1)
        try await Fixture.with(change) { fixture in
            let account = try await fixture.signIn()
            #expect(account.dialect.rawValue == dialect && account.userEmail == "ada@example.org")
            #expect((account.apiKeyID != nil) == (dialect == "relate-mail"))
            let session = try fixture.latch.session(for: account)
            #expect(try await session.identity().email == "ada@example.org")
            #expect(try await fixture.latch.signOut(account).isRevoked)
        }
    }

    @Test("RFC 8628 a denied sign-in stores nothing")
    func denied() async throws {
        try await Fixture.with({ $0.immich.isEnabled = true }) { fixture in
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn(allows: false) }
            #expect(error.code == .signInDenied)
            #expect(try await fixture.latch.accounts.rowIDs().isEmpty)
        }
    }

    @Test("a gateway that does not offer it says what its operator can do, and a client id is refused")
    func notOffered() async throws {
        try await Fixture.with({
            $0.immich.isEnabled = true
            $0.authorizationServer.servesDialectsToDevices = false
        }) { fixture in
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn() }
            #expect(error.code == .deviceLoginDisabled && error.message.contains("oauth.device_dialects"))
            let id = try await #require(throws: LatchError.self) {
                try await fixture.latch.signIn(DeviceSignIn(clientID: "x") { _ in }, to: fixture.found)
            }
            #expect(id.code == .invalidRequest)
        }
    }
}

extension LatchClient {
    /// Signs in on a device at a gateway. Ada decides between the first and the second request for the token.
    func signIn(onDeviceTo server: Server, at gateway: Gateway, allows: Bool = true) async throws -> Account {
        let (codes, shown) = AsyncStream.makeStream(of: String.self)
        var signIn = DeviceSignIn { event in
            if case .waiting(let code) = event { shown.yield(code.userCode) }
        }
        let requests = try #require(gateway.services.deviceRequests)
        let ada = try await gateway.stores.people.require("ada@example.org")
        let browser = try await gateway.services.issuer.issue(for: ada, device: SessionDevice(name: "Browser"))
        let session = try #require(try await gateway.services.issuer.authenticate(browser.token.reveal()).session)
        let rounds = Rounds()
        signIn.pause = { _ in
            guard await rounds.next() == 2 else { return }
            for await code in codes {
                let typed = try #require(UserCode(typed: code))
                _ = try #require(try await requests.decide(typed, allows ? DeviceApproval(in: session) : nil))
                break
            }
        }
        return try await self.signIn(signIn, to: server)
    }
}

private actor Rounds {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}
