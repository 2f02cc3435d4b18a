import TestSupport
import Testing

@testable import LatchKit

/// A server whose answers crawl.
@Suite(.timeLimit(.minutes(20))) struct FamilySlownessTests {
    @Test("responses that arrive byte by byte are accepted, from the first request to the last", arguments: Family.all)
    func slowResponses(_ family: Family) async throws {
        let fixture = try await family.make()
        fixture.wire.script { request in
            var response = fixture.rules(request)
            response.pace = .milliseconds(1)
            return response
        }
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        #expect(try await latch.signOut(account).failure?.code != .timedOut)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    @Test("a response that never ends does not prevent signing out, and ends no session", arguments: Family.all)
    func endlessResponse(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open(revocationTimeout: .milliseconds(300))
        let account = try await fixture.signIn(latch)
        let session = try latch.session(for: account)
        let asked = fixture.wire.requests.count
        fixture.trickle()
        let call = Task { try await session.client.send(session.dialect.identity) }
        try await eventually { fixture.wire.requests.count > asked }
        call.cancel()
        await #expect(throws: (any Error).self) { try await call.cancellableValue }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        let report = try await latch.signOut(account)
        #expect(!report.isRevoked && report.failure?.code == .timedOut, "\(String(describing: report.failure))")
        #expect(try await latch.accounts.rowIDs().isEmpty)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "OX-13 all requests of a sign-out share one deadline if the server does not respond", arguments: Family.keys
    )
    func oneDeadline(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open(revocationTimeout: .milliseconds(300))
        let account = try await fixture.signIn(latch)
        try await latch.accounts.record([.id("left over")], of: account.id)
        let asked = fixture.wire.requests.count
        fixture.trickle()
        let report = try await latch.signOut(account)
        #expect(!report.isRevoked && report.failure?.code == .timedOut, "\(String(describing: report.failure))")
        // The key that was left over is asked about first, until the time is up.
        #expect(fixture.wire.requests.count <= asked + 1, "\(fixture.wire.requests.dropFirst(asked))")
        #expect(try await latch.accounts.noteCount() == 2)
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "a sign-in, an identity request, a call and a renewal with endless responses time out; the account stays",
        arguments: Family.all)
    func endlessResponsesTimeOut(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open(revocationTimeout: .milliseconds(150))
        let server = try await fixture.find(latch, .init())
        let slowDown: @Sendable () -> Void = {
            fixture.trickle()
            fixture.home.requestTimeout = .milliseconds(150)
        }
        if !family.usesBrowser { slowDown() }
        await expectTimeOut { try await fixture.begin(latch, server, slowDown) }
        #expect(try await latch.accounts.rowIDs().isEmpty)

        fixture.home.requestTimeout = SuccessTimeout.duration
        fixture.wire.script(fixture.rules)
        let account = try await fixture.begin(latch, server) {}
        let session = try latch.session(for: account)
        slowDown()
        await expectTimeOut { try await session.identity() }
        await expectTimeOut { try await session.client.send(session.dialect.identity) }
        if session.dialect.refresh != nil { await expectTimeOut { try await session.refresh() } }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)
        #expect(await session.restore().isSignedIn)

        fixture.home.requestTimeout = SuccessTimeout.duration
        fixture.wire.script(fixture.rules)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        #expect(try await session.identity().email == "ada@example.org")
        await latch.close()
        await fixture.stop()
    }

    private func expectTimeOut(
        sourceLocation: SourceLocation = #_sourceLocation, _ act: () async throws -> some Any
    ) async {
        let error = await #expect(throws: LatchError.self, sourceLocation: sourceLocation) { _ = try await act() }
        #expect(error?.code == .timedOut, "\(String(describing: error))", sourceLocation: sourceLocation)
    }
}

extension FamilyFixture {
    /// Every answer of the server begins well and never ends: a byte comes now and then.
    fileprivate func trickle() {
        wire.script { _ in
            var response = ScriptedServer.Response.json(String(repeating: " ", count: 60_000))
            response.pace = .milliseconds(50)
            return response
        }
    }
}
