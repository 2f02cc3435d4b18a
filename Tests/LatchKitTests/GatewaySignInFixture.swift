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

/// The real gateway with one dialect and its authorization server, and Ada.
struct GatewaySignInFixture {
    let gateway: Gateway
    let server: HTTPServer
    let home: HomeFixture
    let latch: LatchClient
    let found: Server
    /// The clock of the gateway.
    let clock: ManualClock
    /// Keeps the port from others.
    let port: HeldPort

    /// Starts a gateway. `change` enables its dialect.
    static func with(
        _ change: (inout GatewaySettings) -> Void, _ body: (GatewaySignInFixture) async throws -> Void
    ) async throws {
        let (folder, home, clock) = (try TemporaryDirectory(), try HomeFixture(), ManualClock())
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
        let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in }, now: { clock.now })
        let server = try await HTTPServer.start(
            HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: number)], loops: 1),
            router: gateway.router)
        let latch = try await home.open()
        try await attempt {
            _ = try await gateway.stores.people.add(
                email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"))
            let found = try await latch.probe(ServerAddress("http://127.0.0.1:\(number)")).requireServer()
            try await body(
                GatewaySignInFixture(
                    gateway: gateway, server: server, home: home, latch: latch, found: found, clock: clock, port: port))
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

    /// Signs in with the password.
    func signInWithPassword() async throws -> Account {
        try await latch.signIn(
            PasswordSignIn(email: "ada@example.org", password: Secret("correct horse 7")), to: found)
    }

    /// The tokens of an account as they are stored.
    func tokens(of account: Account) async throws -> LatchKit.SessionTokens {
        LatchKit.SessionTokens(
            stored: try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id))))
    }
}

extension GatewaySettings {
    /// Enables the dialect with an id.
    mutating func enable(_ dialect: String) {
        switch dialect {
        case "onyx": onyx.isEnabled = true
        case "immich": immich.isEnabled = true
        case "timetracker": timeTracker.isEnabled = true
        case "relate-mail": relateMail.isEnabled = true
        default: Issue.record("There is no dialect '\(dialect)'.")
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
