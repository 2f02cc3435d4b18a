import GatewayConfiguration
import TestSupport
import Testing

@testable import LatchKit

/// Signing in with a code on another device, at the dialects of the real gateway.
@Suite(.timeLimit(.minutes(20))) struct GatewayDeviceTests {
    @Test(
        "RFC 8628 latch gets an ordinary account of the dialect, and signs it out",
        arguments: ["onyx", "immich", "timetracker", "relate-mail"])
    func signIn(dialect: String) async throws {
        try await GatewaySignInFixture.with({ $0.enable(dialect) }) { fixture in
            let account = try await fixture.signIn()
            #expect(account.dialect.rawValue == dialect && account.userEmail == "ada@example.org")
            #expect((account.apiKeyID != nil) == (dialect == "relate-mail"))
            let session = try fixture.latch.session(for: account)
            #expect(try await session.identity().email == "ada@example.org")
            let isBound = try await fixture.tokens(of: account).proofKey != nil
            #expect(isBound == ["onyx", "immich"].contains(dialect))
            #expect(try await fixture.latch.signOut(account).isRevoked)
        }
    }

    @Test("RFC 8628 a denied sign-in stores nothing")
    func denied() async throws {
        try await GatewaySignInFixture.with({ $0.enable("immich") }) { fixture in
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn(allows: false) }
            #expect(error.code == .signInDenied)
            #expect(try await fixture.latch.accounts.rowIDs().isEmpty)
        }
    }

    @Test(
        "a refused sign-in with the browser names the code on another device, if it is offered",
        arguments: [true, false])
    func insteadOfBrowser(_ isOffered: Bool) async throws {
        try await GatewaySignInFixture.with({
            $0.enable("immich")
            $0.authorizationServer.servesDialectsToDevices = isOffered
        }) { fixture in
            let error = try await #require(throws: LatchError.self) {
                try await fixture.latch.signIn(BrowserSignIn(), to: fixture.found)
            }
            let end = isOffered ? "Use a password, or sign in on another device with a code." : "Use a password."
            #expect(error.code == .browserLoginDisabled && error.message.hasSuffix(end), "\(error.message)")
        }
    }

    @Test("a gateway that does not offer it says what its operator can do, and a client id is refused")
    func notOffered() async throws {
        try await GatewaySignInFixture.with({
            $0.enable("immich")
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
