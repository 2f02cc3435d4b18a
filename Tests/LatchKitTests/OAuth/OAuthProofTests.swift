import Crypto
import Foundation
import HTTPClient
import HTTPMessages
import OpenIDConnect
import TestSupport
import Testing

@testable import LatchKit

/// Sessions at a server that binds tokens to keys.
@Suite("Tokens that are bound to a key", .timeLimit(.minutes(20)))
struct OAuthProofTests {
    @Test(
        "RFC 9449 every request of a session has a proof of its own, from the sign-in to the sign-out",
        arguments: [false, true])
    func session(requiresNonces: Bool) async throws {
        let fixture = try OAuthFixture.protecting { settings in
            settings.binds = true
            settings.requiresNonces = requiresNonces
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        #expect(try await session.identity().id == "sub-7")
        let response = try await session.client.send(.get, "/files?size=1")
        #expect(response.status == .ok)
        let folder = try TemporaryDirectory()
        let part = try DownloadPart(path: folder.file("part"))
        #expect(try await session.client.download("/files/1", into: part).status == .ok)
        try await session.refresh()
        #expect(try await session.client.send(.get, "/files").status == .ok)

        let seen = fixture.script.seen
        #expect(seen.violations.isEmpty && seen.thefts == 0 && seen.refreshed >= 1)
        #expect((seen.nonceRefusals > 0) == requiresNonces)
        let keys = Set(seen.families.values.map(\.key))
        #expect(keys.count == 1 && !keys.contains(nil))
        try await session.signOut()
        #expect(fixture.script.seen.revoked == 1)
        await latch.close()
    }

    @Test("RFC 9449 the key survives a restart, changes with each sign-in, and is only in the secret store")
    func key() async throws {
        var settings = OAuthScript.Settings()
        settings.binds = true
        let fixture = try OAuthFixture(settings)
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        let entry = try #require(try await first.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        let tokens = SessionTokens(stored: entry)
        let key = try #require(tokens.proofKey)
        #expect(SessionTokens(stored: tokens.stored) == tokens)
        await first.close()

        let second = try await fixture.home.open()
        let session = try second.session(for: account)
        #expect(try await session.identity().id == "sub-7")
        try await session.refresh()
        let renewed = try #require(try await second.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        #expect(SessionTokens(stored: renewed).proofKey == key && renewed != entry)
        #expect(!second.accounts.log.entries().map { "\($0)" }.joined().contains("PRIVATE"))
        for request in fixture.wire.requests {
            let text = request.path + request.body + request.headers.map(\.value).joined()
            #expect(!text.contains("PRIVATE"))
        }
        _ = try await fixture.signIn(second)
        let another = try #require(try await second.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        #expect(SessionTokens(stored: another).proofKey != key)
        #expect(fixture.script.seen.violations.isEmpty)
        await second.close()
    }

    @Test(
        "RFC 9449 a refused proof, as with a wrong clock, ends no session",
        arguments: ["invalid_dpop_proof", "use_dpop_nonce"])
    func refusedProof(error: String) async throws {
        let fixture = try OAuthFixture.protecting { $0.binds = true }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let script = fixture.script
        fixture.wire.script { request in
            if request.path == OAuthFixture.token {
                return .json(#"{"error":"\#(error)"}"#, 400)
            }
            guard request.headers["Authorization"] != nil else { return script.response(request) }
            return ScriptedServer.Response(
                status: 401,
                headers: ["WWW-Authenticate": #"DPoP error="\#(error)", algs="ES256""#, "DPoP-Nonce": "one"])
        }
        let before = fixture.wire.requests.count
        await #expect(throws: LatchError.self) { try await session.identity() }
        #expect(fixture.wire.requests.count - before <= 2, "A server that always asks for a nonce is asked twice.")
        await #expect(throws: LatchError.self) { try await session.refresh() }
        #expect(session.state.isSignedIn)
        fixture.wire.script { script.response($0) }
        #expect(try await session.identity().id == "sub-7")
        #expect(script.seen.violations.isEmpty)
        await latch.close()
    }

    @Test("RFC 9449 §11.1 a device whose clock is wrong uses the time of the server", arguments: [-86_400.0, 3_600])
    func wrongClock(difference: TimeInterval) async throws {
        let fixture = try OAuthFixture.protecting { settings in
            settings.binds = true
            settings.requiresNonces = true
        }
        let time = fixture.home.clock.now + difference
        fixture.script.change { $0.time = time }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        #expect(try await session.identity().id == "sub-7")
        #expect(try await session.client.send(.get, "/files").status == .ok)
        try await session.refresh()
        #expect(fixture.script.seen.violations.isEmpty)
        // Once for the sign-in, once for the request for the person, and once for the session.
        #expect(fixture.script.seen.timeRefusals == 3)
        await latch.close()
    }

    @Test(
        "RFC 9449 where the metadata name no algorithm of this client, the tokens are bearer tokens",
        arguments: [
            nil, ["RS256"], [],
        ] as [[String]?])
    func bearer(algorithms: [String]?) async throws {
        var settings = OAuthScript.Settings()
        settings.metadata["dpop_signing_alg_values_supported"] =
            algorithms.map { .array($0.map { .string($0) }) } ?? .null
        let fixture = try OAuthFixture(settings)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        #expect(try await session.identity().id == "sub-7")
        #expect(fixture.wire.requests.allSatisfy { $0.headers["DPoP"] == nil })
        #expect(fixture.script.seen.violations.isEmpty)
        await latch.close()
    }
}
