import Foundation
import HTTPMessages
import OAuth
import OpenIDConnect
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Signing in with a code on another device, at a server of OAuth 2.1.
@Suite(.timeLimit(.minutes(20))) struct OAuthDeviceTests {
    @Test("RFC 8628 §3.5 latch obeys the interval and slow_down, and stores the account when the person has decided")
    func signIn() async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        fixture.answer(.pending, .slowDown, .pending, .tokens(1))
        let account = try await fixture.signIn(latch)
        #expect(fixture.pauses == [5, 5, 10, 10].map { .seconds($0) })
        #expect(account.userEmail == "ada@example.org" && account.isSignedIn && account.dialect.rawValue == "oauth")
        let code = try #require(fixture.codes.first)
        #expect(fixture.codes.count == 1 && code.userCode == "WDJB-MJHT" && code.lifetime == .seconds(600))
        #expect(code.address.hasSuffix("/device"))
        #expect(code.completeAddress == code.address + "?user_code=WDJB-MJHT")
        #expect(try await latch.session(for: account).identity().id == "sub-7")
        #expect(fixture.registrations.count == 1)
        #expect(fixture.registrations.first?["grant_types"] == [.string(DeviceGrant.type), "refresh_token"])
        #expect(fixture.registrations.first?["redirect_uris"] == nil)

        // The next sign-in uses the client again, and ends the session of this one.
        fixture.answer(.tokens(2))
        let again = try await fixture.signIn(latch)
        #expect(again.id == account.id && fixture.registrations.count == 1)
        #expect(fixture.oauth.script.seen.families.values.count { $0.isLive } == 1)
        #expect(try fixture.home.files(holding: DeviceSignInFixture.deviceCode).isEmpty)
        await latch.close()
    }

    @Test("RFC 8628 §3.5 failures of the network lengthen the pauses, and do not end the sign-in")
    func network() async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        fixture.answer(.silence, .silence, .status(503), .page, .pending, .tokens(1))
        _ = try await fixture.signIn(latch)
        #expect(fixture.pauses == [5, 10, 20, 40, 60, 5].map { .seconds($0) })
        #expect(fixture.retries.count == 4 && fixture.retries[0] == .connectionLost)
        await latch.close()
    }

    @Test(
        "RFC 8628 §3.5 a refusal ends the sign-in with its reason, and stores nothing",
        arguments: [
            ("access_denied", LatchError.Code.signInDenied, "denied on the other device"),
            ("expired_token", .signInTimedOut, "not used in time"),
            ("invalid_grant", .codeRefused, "already used"), ("invalid_client", .clientIDRequired, "does not know"),
            ("something", .serverRefused, "something"),
        ])
    func refused(error: String, code: LatchError.Code, text: String) async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        fixture.answer(.pending, .error(error))
        let thrown = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(thrown.code == code && thrown.message.contains(text), "\(thrown)")
        #expect(!thrown.message.contains(DeviceSignInFixture.deviceCode))
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("RFC 8628 §3.2 the waiting ends when the code expires, or sooner if the person wants that")
    func expiry() async throws {
        for timeout in [nil, Duration.seconds(7)] {
            let fixture = try DeviceSignInFixture()
            let latch = try await fixture.home.open()
            fixture.set { $0.lifetime = 12 }
            let error = try await #require(throws: LatchError.self) {
                try await fixture.signIn(latch, timeout: timeout)
            }
            #expect(error.code == .signInTimedOut)
            #expect(fixture.pauses == (timeout == nil ? [5, 5, 2] : [5, 2]).map { .seconds($0) })
            await latch.close()
        }
    }

    @Test("a sign-in that is cancelled while it waits leaves nothing")
    func cancelled() async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await fixture.signIn(latch) { _ in
                waiting.yield()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        for await _ in waits { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await latch.accounts.rowIDs().isEmpty && fixture.polls == 0)
        #expect(try fixture.home.files(holding: DeviceSignInFixture.deviceCode).isEmpty)
        await latch.close()
    }

    @Test("tokens that arrive when the sign-in was cancelled are revoked")
    func cancelledLate() async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        let task = Mutex<Task<Account, any Error>?>(nil)
        fixture.answer(.tokens(1))
        fixture.set { $0.onPoll = { task.withLock { $0?.cancel() } } }
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let signIn = Task {
            for await _ in starts { break }
            return try await fixture.signIn(latch)
        }
        task.withLock { $0 = signIn }
        started.yield()
        await #expect(throws: (any Error).self) { try await signIn.value }
        #expect(fixture.polls == 1 && fixture.oauth.script.seen.revoked == 1)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("a server without the device grant, or that does not allow it to the client, is reported")
    func notOffered() async throws {
        let plain = try OAuthFixture()
        let latch = try await plain.home.open()
        let server = try await plain.server(latch)
        let missing = try await #require(throws: LatchError.self) {
            try await latch.signIn(DeviceSignIn { _ in }, to: server)
        }
        #expect(missing.code == .deviceLoginDisabled && missing.message.contains("device_authorization_endpoint"))
        #expect(plain.wire.count(OAuthFixture.register) == 0)
        await latch.close()

        let fixture = try DeviceSignInFixture()
        let other = try await fixture.home.open()
        func codes(_ page: String, _ lifetime: String) -> String {
            #"{"device_code":"d","user_code":"u","verification_uri":"\#(page)","expires_in":\#(lifetime)}"#
        }
        for (body, status, code) in [
            (#"{"error":"unauthorized_client"}"#, 400, LatchError.Code.deviceLoginDisabled),
            (#"{"error":"invalid_client"}"#, 401, .clientIDRequired),
            (#"{"error":"invalid_scope"}"#, 400, .serverRefused), ("{}", 200, .unreadableResponse),
            (codes("javascript:x", "60"), 200, .unreadableResponse),
            (codes("http://example.org/", #""60""#), 200, .unreadableResponse),
            ("<html>", 200, .interceptedResponse), ("{}", 503, .serverError),
        ] {
            fixture.set { $0.codes = .json(body, status) }
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn(other) }
            #expect(error.code == code, "\(body): \(error)")
        }
        #expect(fixture.codes.isEmpty && fixture.polls == 0)
        await other.close()
    }

    @Test(
        "RFC 9449 the tokens are bound to a key, and every request for them has a proof of its own",
        arguments: [false, true])
    func bound(requiresNonces: Bool) async throws {
        let fixture = try DeviceSignInFixture { settings in
            settings.binds = true
            settings.requiresNonces = requiresNonces
        }
        let latch = try await fixture.home.open()
        fixture.answer(.pending, .slowDown, .tokens(1))
        let account = try await fixture.signIn(latch)
        // A request for a nonce is repeated at once, without a pause of its own.
        #expect(fixture.pauses == [5, 5, 10].map { .seconds($0) } && fixture.polls == 3)
        let entry = try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        let key = try DPoPKey(pem: try #require(SessionTokens(stored: entry).proofKey))
        #expect(fixture.oauth.script.seen.families["device-1"]?.key == key.thumbprint)
        let session = try latch.session(for: account)
        #expect(try await session.identity().id == "sub-7")
        try await session.refresh()
        let seen = fixture.oauth.script.seen
        #expect(seen.violations.isEmpty && seen.refreshed == 1, "\(seen.violations)")
        #expect((seen.nonceRefusals > 0) == requiresNonces)
        await latch.close()
    }

    @Test(
        "RFC 7591 §3.2.2 a server that does not register programs for this grant needs a client id",
        arguments: [
            (400, #"{"error":"invalid_redirect_uri","error_description":"redirect_uris is missing"}"#, "is missing"),
            (400, #"{"error":"invalid_client_metadata"}"#, "invalid_client_metadata"),
            (403, #"{"error":"access_denied"}"#, "access_denied"), (404, #"{"error":"not_found"}"#, "not_found"),
        ])
    func registrationRefused(status: Int, body: String, text: String) async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        fixture.set { $0.registration = .json(body, status) }
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .clientIDRequired && error.message.contains("device grant"), "\(error)")
        #expect(error.message.contains(text) && fixture.codes.isEmpty)
        await latch.close()
    }

    @Test("a client that the server no longer knows is registered again")
    func forgotten() async throws {
        let fixture = try DeviceSignInFixture()
        let latch = try await fixture.home.open()
        fixture.answer(.tokens(1))
        let account = try await fixture.signIn(latch)
        fixture.oauth.script.state.withLock { $0.clients = [:] }
        fixture.answer(.tokens(2))
        let again = try await fixture.signIn(latch)
        #expect(again.id == account.id && again.details["client_id"] == "device-client-2")
        await latch.close()
    }

    @Test("a server that registers no programs needs a client id that may use the device grant")
    func clientID() async throws {
        let fixture = try DeviceSignInFixture(["registration_endpoint": .null])
        let latch = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
        #expect(error.code == .clientIDRequired && error.message.contains("device grant"))
        fixture.answer(.tokens(1))
        let account = try await fixture.signIn(latch, clientID: "by-hand")
        #expect(account.details["client_id"] == "by-hand")
        await latch.close()
    }
}
