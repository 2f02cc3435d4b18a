import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// The end of a session by the person, also while its token is renewed.
@Suite(.timeLimit(.minutes(20))) struct SessionSignOutTests {
    private let fixture: OnyxFixture

    init() throws { fixture = try OnyxFixture() }

    @Test("OX-13 signing out deletes everything also if the server cannot be reached")
    func signOutOffline() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, connection: .init(extraHeaders: ["X-Key": "hidden"]))
        #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id)) != nil)
        fixture.wire.stop()

        let report = try await latch.signOut(account)

        #expect(!report.isRevoked && report.failure?.code == .connectionRefused)
        #expect(try await latch.accounts.accounts().isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id)) == nil)
    }

    @Test("OX-13 signing out deletes everything even if the server never responds")
    func signOutSilent() async throws {
        let latch = try await fixture.home.open(revocationTimeout: Session.revocationBound)
        let account = try await fixture.signIn(latch)
        let end = DispatchSemaphore(value: 0)
        fixture.onyx.intercept { request in
            if request.path == OnyxFixture.logout { end.wait() }
            return nil
        }

        let report = try await latch.signOut(account)

        #expect(!report.isRevoked && report.failure?.code == .timedOut, "\(report)")
        #expect(fixture.wire.count(OnyxFixture.logout) == 1)
        #expect(try await latch.accounts.accounts().isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        end.signal()
    }

    @Test("a late renewal of a session that was signed out changes nothing (invariant 5)")
    func lateRenewal() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        _ = try await session.validToken()
        let (asked, gate) = fixture.holdRenewals()
        fixture.home.clock.advance(by: 601)
        let late = Task { try await session.validToken() }
        for await _ in asked { break }

        let out = Task { try await latch.signOut(account) }
        for await state in session.stateUpdates where state == .signingOut || state == .signedOut(.notSignedIn) {
            break
        }
        gate.signal()
        _ = try await out.cancellableValue

        await #expect(throws: (any Error).self) { try await late.cancellableValue }
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        #expect(try await latch.accounts.accounts().isEmpty)
    }

    @Test(
        "callers that wait for a renewal during a sign-out get the error for that, not a cancellation",
        arguments: [true, false])
    func waitersAtSignOut(_ answers: Bool) async throws {
        let latch = try await fixture.home.open(revocationTimeout: .milliseconds(300))
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let (asked, gate) = fixture.holdRenewals()
        fixture.home.clock.advance(by: 601)
        let waiters = (0..<3).map { _ in Task { try await session.validToken() } }
        for await _ in asked { break }

        let out = Task { try await latch.signOut(account) }
        for await state in session.stateUpdates where state == .signingOut || state == .signedOut(.notSignedIn) {
            break
        }
        // Without an answer the renewal is abandoned.
        if answers { gate.signal() }
        _ = try await out.value

        for waiter in waiters {
            let error = try await #require(throws: LatchError.self) { try await waiter.value }
            #expect(error.code == .signedOut, "\(error)")
        }
        if !answers { gate.signal() }
        await latch.close()
    }

    @Test("a token that the server issues during a sign-out is the one that is revoked there")
    func renewedAtSignOut() async throws {
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let (asked, gate) = fixture.holdRenewals()
        fixture.home.clock.advance(by: 601)
        let waiter = Task { try await session.validToken() }
        for await _ in asked { break }
        let out = Task { try await latch.signOut(account) }
        for await state in session.stateUpdates where state == .signingOut || state == .signedOut(.notSignedIn) {
            break
        }
        gate.signal()

        #expect(try await out.value.isRevoked)
        _ = try? await waiter.value
        let last = try #require(fixture.wire.requests.last { $0.path == OnyxFixture.logout })
        #expect(last.token == "token-number-2")
        #expect(!fixture.onyx.live.contains("token-number-2"))
    }
}
