import Foundation
import HTTPMessages
import LatchKit
import Synchronization
import TestSupport
import Testing

@testable import LatchScreens

/// The screens of a sign-in at a server of OAuth that registers no programs.
@MainActor
@Suite("Sign-in screens at a server of OAuth", .timeLimit(.minutes(5)))
struct OAuthSignInTests {
    /// What the server answers to a device.
    private enum Decision: String { case authorization_pending, access_denied, allowed }

    /// What the person decides.
    private final class Person: Sendable { let decision = Mutex(Decision.authorization_pending) }

    /// A server that knows one client, and asks one person about devices.
    private struct OAuthServer {
        let server: FaultServer
        let person: Person

        init() throws {
            let person = Person()
            self.person = person
            server = try FaultServer { Self.response($0, person.decision.withLock(\.self)) }
        }

        private static func response(_ request: FaultServer.Request, _ decision: Decision) -> FaultServer.Response {
            let base = "http://" + (request.headers["host"] ?? "")
            let form = (try? FormURLEncoded.decode(request.body)) ?? FormFields()
            switch request.path.prefix(while: { $0 != "?" }) {
            case "/.well-known/oauth-authorization-server":
                return .json(
                    #"""
                    {"issuer":"\#(base)","authorization_endpoint":"\#(base)/a","token_endpoint":"\#(base)/t",
                    "userinfo_endpoint":"\#(base)/u","device_authorization_endpoint":"\#(base)/d"}
                    """#)
            case "/d" where form["client_id"] == "by-hand":
                return .json(
                    #"""
                    {"device_code":"d1","user_code":"WDJB-MJHT","verification_uri":"\#(base)/device",
                    "expires_in":600,"interval":1}
                    """#)
            case "/d": return .json(#"{"error":"unauthorized_client"}"#, 400)
            case "/t" where decision != .allowed: return .json(#"{"error":"\#(decision.rawValue)"}"#, 400)
            case "/t": return .json(#"{"access_token":"a1","token_type":"Bearer","expires_in":300}"#)
            case "/u": return .json(#"{"sub":"7","email":"ada@example.org","name":"Ada"}"#)
            default: return .json("{}", 404)
            }
        }
    }

    private func signInScreen(_ app: AppScreen, at server: OAuthServer) async throws -> SignInScreen {
        let connect = try await app.connect()
        connect.address = server.server.url("")
        connect.next()
        return try await app.signInScreen()
    }

    private func device(_ app: AppScreen) async throws -> DeviceScreen {
        try await app.value {
            if case .signIn(let flow) = $0, case .device(let screen) = flow.state { screen } else { nil }
        }
    }

    @Test("the field for the client id appears when the server needs one, and the browser gets the id")
    func clientID() async throws {
        try await AppFixture.with { fixture in
            let (app, server) = (fixture.start(), try OAuthServer())
            let screen = try await signInScreen(app, at: server)
            #expect(!screen.needsClientID && screen.providers.count == 1)
            screen.useBrowser(try #require(screen.providers.first))
            try await observed { screen.needsClientID }
            #expect(try await app.signInScreen() === screen)
            #expect(screen.error?.code == .clientIDRequired && screen.errorField == .clientID)
            screen.clientID = " by-hand "
            #expect(screen.error == nil)
            let browser = try await app.useBrowser(screen)
            #expect(browser.address?.contains("client_id=by-hand&") == true, "\(browser.address ?? "")")
            browser.cancel()
            #expect(try await app.signInScreen() === screen && screen.clientID == " by-hand ")
        }
    }

    @Test("RFC 8628 the letters, the address and the QR code are shown, and the decision on the other device counts")
    func device() async throws {
        try await AppFixture.with { fixture in
            let (app, server) = (fixture.start(), try OAuthServer())
            let screen = try await signInScreen(app, at: server)
            try await observed { screen.offersDevice }
            screen.useDevice()
            try await observed { screen.needsClientID }
            #expect(screen.error?.message.contains("device grant") == true)
            screen.clientID = "by-hand"

            screen.useDevice()
            let cancelled = try await device(app)
            try await observed { cancelled.userCode != nil }
            #expect(cancelled.userCode == "WDJB-MJHT" && cancelled.address == server.server.url("/device"))
            #expect(cancelled.code?.size ?? 0 >= 21 && cancelled.problem == nil)
            cancelled.cancel()
            #expect(try await app.signInScreen() === screen && screen.error == nil)

            server.person.decision.withLock { $0 = .access_denied }
            screen.useDevice()
            try await observed { screen.error != nil }
            #expect(screen.error?.code == .signInDenied)

            server.person.decision.withLock { $0 = .allowed }
            screen.useDevice()
            #expect(try await app.main().account.userEmail == "ada@example.org")
        }
    }

    @Test("a server without the device grant offers no sign-in on another device", arguments: ["immich", "onyx"])
    func notOffered(_ family: String) async throws {
        try await AppFixture.with { fixture in
            let screen = try await fixture.signInScreen(fixture.start(), of: family)
            await screen.query.finish()
            #expect(!screen.offersDevice)
        }
    }
}
