import Crypto
import Foundation
import GatewayConfiguration
import GatewayCore
import HTTPClient
import TestSupport
import Testing

@testable import LatchKit

/// Sessions at the dialects of the real gateway, whose tokens are bound to a key of the device.
@Suite(.timeLimit(.minutes(20))) struct GatewayProofTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let dialect: String
        var path = "/api/me"
        var requiresNonces = false
        var rotates = false

        var testDescription: String { "\(dialect), nonces: \(requiresNonces), rotating: \(rotates)" }

        func apply(to settings: inout GatewaySettings) {
            settings.enable(dialect)
            settings.authorizationServer.requiresProofNonces = requiresNonces
            if rotates { settings.sessions.tokens = .rotating }
        }
    }

    @Test(
        "RFC 9449 every request of a session has a proof, and the token alone opens nothing",
        arguments: [
            Case(dialect: "onyx"), Case(dialect: "onyx", requiresNonces: true), Case(dialect: "onyx", rotates: true),
            Case(dialect: "onyx", requiresNonces: true, rotates: true),
            Case(dialect: "immich", path: "/api/users/me"),
            Case(dialect: "immich", path: "/api/users/me", requiresNonces: true),
        ])
    func session(_ test: Case) async throws {
        try await GatewaySignInFixture.with(test.apply) { fixture in
            let account = try await fixture.signInWithPassword()
            let tokens = try await fixture.tokens(of: account)
            #expect(tokens.proofKey != nil && (tokens.refresh != nil) == test.rotates)
            try await expectRefusal(of: tokens.access, test.path, fixture)

            let session = try fixture.latch.session(for: account)
            #expect(try await session.identity().email == "ada@example.org")
            #expect(try await session.client.send(.get, test.path + "?size=1").status == .ok)
            let folder = try TemporaryDirectory()
            let part = try DownloadPart(path: folder.file("part"))
            #expect(try await session.client.download(test.path, into: part).status == .ok)
            if test.dialect == "onyx" {
                try await session.refresh()
                let renewed = try await fixture.tokens(of: account)
                #expect(renewed.proofKey == tokens.proofKey)
                try await expectRefusal(of: renewed.access, test.path, fixture)
                if let refresh = renewed.refresh { try await expectRefusal(of: refresh, test.path, fixture) }
                #expect(try await session.identity().email == "ada@example.org")
            } else {
                var updates = try session.events().makeAsyncIterator()
                let first = try await updates.next()
                guard case .connected = first else {
                    Issue.record("\(String(describing: first))")
                    return
                }
            }

            let restarted = try await fixture.home.open()
            let later = try restarted.session(for: account)
            #expect(try await later.identity().email == "ada@example.org")
            #expect(try await restarted.signOut(account).isRevoked)
            await restarted.close()
        }
    }

    @Test("RFC 9449 the session of a sign-in on another device is bound too", arguments: ["onyx", "immich"])
    func device(dialect: String) async throws {
        let test = Case(dialect: dialect, path: dialect == "onyx" ? "/api/me" : "/api/users/me", requiresNonces: true)
        try await GatewaySignInFixture.with(test.apply) { fixture in
            let account = try await fixture.signIn()
            let tokens = try await fixture.tokens(of: account)
            #expect(tokens.proofKey != nil)
            try await expectRefusal(of: tokens.access, test.path, fixture)
            #expect(try await fixture.latch.session(for: account).identity().email == "ada@example.org")
        }
    }

    @Test("proofs name the account's own address, also in requests to another address of the server")
    func otherAddress() async throws {
        try await GatewaySignInFixture.with({ $0.enable("onyx") }) { fixture in
            let account = try await fixture.signInWithPassword()
            let other = try ServerAddress(fixture.found.address.url.replacing("127.0.0.1", with: "localhost"))
            try await fixture.latch.addEndpoint(other, to: account)
            let session = try fixture.latch.session(for: account)
            #expect(try await session.identity().email == "ada@example.org")
            let response = try await session.client.send(.get, "/api/me")
            #expect(response.status == .ok && response.url.hasPrefix(other.url))
        }
    }

    @Test(
        "a proof that the gateway refuses, because the clock of the device is wrong, ends no session",
        arguments: ["onyx", "immich"])
    func wrongClock(dialect: String) async throws {
        try await GatewaySignInFixture.with({ $0.enable(dialect) }) { fixture in
            let account = try await fixture.signInWithPassword()
            let session = try fixture.latch.session(for: account)
            // The Date of the responses is the time of the system, which also differs from that of the proofs.
            fixture.home.clock.advance(by: 600)
            let error = try await #require(throws: LatchError.self) { try await session.identity() }
            #expect(error.message.contains("iat") && !error.message.contains(".."), "\(error)")
            #expect(session.state.isSignedIn)
            fixture.clock.advance(by: 600)
            #expect(try await session.identity().email == "ada@example.org")
        }
    }

    /// Expects that the gateway accepts a token in no way without a proof.
    private func expectRefusal(of token: Secret, _ path: String, _ fixture: GatewaySignInFixture) async throws {
        let client = try HTTPClient()
        for scheme in ["Bearer ", "DPoP "] {
            let response = try await client.send(
                ClientRequest(
                    method: .get, url: fixture.found.address.url + path,
                    headers: ["Authorization": scheme + token.reveal()]))
            #expect([401, 403].contains(response.status.rawValue), "\(scheme): \(response.status)")
        }
        await client.close()
    }
}
