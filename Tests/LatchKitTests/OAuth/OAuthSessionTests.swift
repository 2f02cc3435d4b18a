import Foundation
import HTTPMessages
import Synchronization
import TestSupport
import Testing

@testable import LatchKit

/// Renewal and sign-out at a server of OAuth 2.1.
@Suite(.timeLimit(.minutes(20))) struct OAuthSessionTests {
    @Test("a token is renewed before it expires, and each refresh token is used once")
    func rotation() async throws {
        let fixture = try OAuthFixture()
        let (mine, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(mine)
        let (here, there) = (try mine.session(for: account), try other.session(for: account))
        let first = try await there.validToken()
        for turn in 1...3 {
            fixture.home.clock.advance(by: 299)
            let token = try await (turn == 2 ? there : here).validToken()
            #expect(token != first)
            let both = (try await here.validToken(), try await there.validToken())
            #expect(both.0 == token && both.1 == token)
            #expect(try await here.identity().id == "sub-7")
            #expect(fixture.script.seen.refreshed == turn)
        }
        let seen = fixture.script.seen
        #expect(seen.thefts == 0 && seen.violations.isEmpty && seen.families.count == 1)
        #expect(fixture.pathsWithRefreshTokens == [OAuthFixture.token])
        await mine.close()
        await other.close()
    }

    @Test("programs that need a new token at the same time send one request")
    func onlyOne() async throws {
        let fixture = try OAuthFixture()
        let (mine, other) = (try await fixture.home.open(), try await fixture.home.open())
        let account = try await fixture.signIn(mine)
        let (here, there) = (try mine.session(for: account), try other.session(for: account))
        fixture.script.expireAccess()
        async let one = here.identity()
        async let two = there.identity()
        async let three = here.identity()
        #expect(try await [one.id, two.id, three.id] == ["sub-7", "sub-7", "sub-7"])
        #expect(fixture.script.seen.refreshed == 1 && fixture.script.seen.thefts == 0)
        await mine.close()
        await other.close()
    }

    @Test("after a lost response the same refresh token is sent again, and nobody is signed out")
    func lostResponse() async throws {
        var settings = OAuthScript.Settings()
        settings.repeats = true
        let fixture = try OAuthFixture(settings)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let isLost = Mutex(true)
        fixture.wire.script { request in
            let own = fixture.script.response(request)
            guard request.path == OAuthFixture.token else { return own }
            return isLost.withLock { lost in
                defer { lost = false }
                return lost ? .silence : own
            }
        }
        let error = try await #require(throws: LatchError.self) { try await session.refresh() }
        #expect(error.code == .connectionLost && session.state.isSignedIn)
        try await session.refresh()
        let sent = fixture.wire.requests.filter { $0.path == OAuthFixture.token }.suffix(2).map(\.body)
        #expect(sent.count == 2 && sent[0] == sent[1] && sent[0].contains("refresh_token=refresh-token-number"))
        #expect(try await session.identity().id == "sub-7")
        #expect(fixture.script.seen.thefts == 0 && fixture.script.seen.violations.isEmpty)
        await latch.close()
    }

    @Test("the new refresh token is in the secret store before the new access token is used")
    func storedFirst() async throws {
        let fixture = try OAuthFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        // The program ends between the store and the database.
        let crashing = try await fixture.home.open(stoppingAfter: .renewedTokenWritten)
        await #expect(throws: (any Error).self) { try await crashing.session(for: account).refresh() }
        await crashing.close()

        let latch = try await fixture.home.open()
        let session = try latch.session(for: account)
        try await session.refresh()
        #expect(try await session.identity().id == "sub-7")
        #expect(fixture.script.seen.refreshed == 2 && fixture.script.seen.thefts == 0)
        await latch.close()
    }

    @Test("a refresh token that was used before is theft, and invalid_grant ends the session")
    func theft() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let stolen = try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        try await session.refresh()
        await latch.close()

        try await fixture.home.secrets.write(stolen, for: AccountStore.tokenKey(account.id))
        let thief = try await fixture.home.open()
        let error = try await #require(throws: LatchError.self) { try await thief.session(for: account).refresh() }
        #expect(error.code == .sessionEnded && fixture.script.seen.thefts == 1, "\(error)")
        #expect(try await thief.accounts.account(account.id)?.isSignedIn == false)
        #expect(try await thief.accounts.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        #expect(try await fixture.signIn(thief).id == account.id)
        await thief.close()
    }

    @Test("a session that the server has ended ends here")
    func ended() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.script.endAll()
        let error = try await #require(throws: LatchError.self) { try await latch.session(for: account).identity() }
        #expect(error.code == .sessionEnded && error.message.contains("does not renew the session"), "\(error)")
        await latch.close()
    }

    @Test(
        "other failures of the token endpoint leave the session",
        arguments: [
            ScriptedServer.Response.json(#"{"error":"invalid_client"}"#, 401),
            .json(#"{"error":"invalid_request"}"#, 400), .json(#"{"error":"temporarily_unavailable"}"#, 503),
            .json(#"{"error":"invalid_grant"}"#, 500), .json("{}", 400), .page(400), .page(200), .page(502), .silence,
            .json(#"{"access_token":"x"}"#), .redirect("https://login.example/"),
            ScriptedServer.Response(
                status: 400, headers: ["Content-Type": "text/html"], body: #"{"error":"invalid_grant"}"#),
        ])
    func failures(_ response: ScriptedServer.Response) async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        fixture.script.intercept { $0.path == OAuthFixture.token ? response : nil }
        let error = try await #require(throws: LatchError.self) { try await session.refresh() }
        #expect(error.code.leavesSessionUnknown, "\(error)")
        #expect(session.state.isSignedIn)
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)
        fixture.script.intercept(nil)
        try await session.refresh()
        #expect(try await session.identity().id == "sub-7")
        await latch.close()
    }

    @Test("without a refresh token the session ends when its token is rejected, and not before")
    func noRefreshToken() async throws {
        var settings = OAuthScript.Settings()
        settings.refreshes = false
        let fixture = try OAuthFixture(settings)
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        fixture.home.clock.advance(by: 3_600)
        #expect(try await session.identity().id == "sub-7" && fixture.script.seen.refreshed == 0)
        #expect(try await latch.accounts.renewalDates().isEmpty)
        fixture.script.expireAccess()
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        #expect(error.code == .sessionEnded && fixture.script.seen.refreshed == 0, "\(error)")
        await latch.close()
    }

    @Test("signing out revokes the refresh token")
    func signOut() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        #expect(try await latch.signOut(account).isRevoked)
        let seen = fixture.script.seen
        #expect(seen.revoked == 1 && seen.violations.isEmpty && seen.families.values.allSatisfy { !$0.isLive })
        #expect(fixture.pathsWithRefreshTokens == [OAuthFixture.revoke])
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
    }

    @Test("a sign-out that a crash interrupted is completed by the next start")
    func interruptedSignOut() async throws {
        let fixture = try OAuthFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let crashing = try await fixture.home.open(stoppingAfter: .leavingRecorded)
        _ = try? await crashing.signOut(account)
        await crashing.close()
        #expect(fixture.script.seen.families.values.allSatisfy { $0.isLive })

        let next = try await fixture.home.open()
        #expect(fixture.script.seen.revoked == 1)
        #expect(fixture.script.seen.families.values.allSatisfy { !$0.isLive })
        #expect(try await next.accounts.rowIDs().isEmpty)
        await next.close()
    }

    @Test("a second sign-in that a crash interrupted is undone as the client that it registered")
    func interruptedSignIn() async throws {
        let fixture = try OAuthFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        fixture.script.endAll()
        await #expect(throws: LatchError.self) { try await first.session(for: account).identity() }
        await first.close()
        fixture.script.state.withLock { $0.clients = [:] }
        let crashing = try await fixture.home.open(stoppingAfter: .tokenWritten)
        // A dead program revokes nothing.
        fixture.script.intercept { $0.path == OAuthFixture.revoke ? .silence : nil }
        await #expect(throws: (any Error).self) { try await fixture.signIn(crashing) }
        await crashing.close()
        #expect(fixture.script.seen.families.values.count { $0.isLive } == 1)

        fixture.script.intercept(nil)
        let next = try await fixture.home.open()
        #expect(fixture.script.seen.families.values.allSatisfy { !$0.isLive })
        #expect(fixture.script.seen.violations.isEmpty)
        #expect(try await next.accounts.account(account.id)?.isSignedIn == false)
        #expect(try await fixture.signIn(next).id == account.id)
        await next.close()
    }

    @Test("a revocation that could not be sent is reported, and the account is removed")
    func unrevoked() async throws {
        let fixture = try OAuthFixture()
        let latch = try await fixture.home.open()
        for response in [ScriptedServer.Response.page(503), .page(200), .json(#"{"error":"invalid_client"}"#, 401)] {
            fixture.script.intercept(nil)
            let account = try await fixture.signIn(latch)
            fixture.script.intercept { $0.path == OAuthFixture.revoke ? response : nil }
            let report = try await latch.signOut(account)
            #expect(!report.isRevoked && report.failure != nil)
            #expect(try await latch.accounts.rowIDs().isEmpty)
        }
        await latch.close()
    }
}
