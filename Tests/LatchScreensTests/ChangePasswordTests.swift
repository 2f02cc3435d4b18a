import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import GatewayDialects
import GatewayHTTP
import HTTPServer
import LatchGateway
import LatchKit
import TestSupport
import Testing

@testable import LatchScreens

/// A password that the server requires to be changed.
@MainActor
@Suite("Change of the password", .timeLimit(.minutes(5)))
struct ChangePasswordTests {
    @Test("IM-12 the change comes before the app; differing and refused passwords are told, and none is kept")
    func forced() async throws {
        try await AppFixture.with { fixture in
            let folder = try TemporaryDirectory()
            var settings = GatewaySettings(databasePath: folder.path + "/latchd.db")
            settings.hashing.parameters = try Argon2idParameters(memoryKiB: 8, iterations: 1)
            settings.onyx.isEnabled = false
            settings.immich.isEnabled = true
            let gateway = try await Gateway.open(settings, logWriter: LogWriter { _ in })
            let server = try await HTTPServer.start(
                HTTPServer.Configuration(listeners: [.tcp(host: "127.0.0.1", port: 0)], loops: 1),
                router: gateway.router)
            try await attempt {
                _ = try await gateway.stores.people.add(
                    email: "ada@example.org", name: "Ada", password: Secret("correct horse 7"), mustChange: true)
                let app = fixture.start()
                let connect = try await app.connect()
                connect.address = "http://127.0.0.1:\(try #require(server.addresses.first?.port))"
                connect.next()
                let signIn = try await app.signInScreen()
                (signIn.email, signIn.password) = ("ada@example.org", "correct horse 7")
                signIn.login()
                let screen: ChangePasswordScreen = try await app.value {
                    if case .changePassword(let screen) = $0 { screen } else { nil }
                }
                #expect(screen.isForced && !screen.canChange)
                (screen.new, screen.again) = ("another horse 8", "another horse 9")
                screen.change()
                #expect(screen.error?.message == ChangePasswordScreen.Text.differ && screen.errorField == .new)
                #expect(screen.new.isEmpty && screen.again.isEmpty)
                (screen.new, screen.again) = ("short", "short")
                screen.change()
                try await observed { screen.state != .changing && screen.error != nil }
                #expect(screen.error?.code == .weakPassword)
                (screen.new, screen.again) = ("another horse 8", "another horse 8")
                screen.change()
                #expect(screen.state == .changing && screen.new.isEmpty)
                #expect(try await app.main().account.userEmail == "ada@example.org")
            } finally: {
                await server.stop(drain: .seconds(1))
                await gateway.close()
            }
        }
    }
}
