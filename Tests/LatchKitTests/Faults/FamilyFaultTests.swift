import Crypto
import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// What goes wrong between here and a server, at each thing that is asked of it, whatever the dialect.
@Suite(.timeLimit(.minutes(20))) struct FamilyFaultTests {
    @Test("a fault during discovery is reported, and nothing is stored", arguments: Family.all, Fault.all)
    func probe(_ family: Family, _ fault: Fault) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        fixture.wire.script { fault.response(fixture.rules($0)) }
        let error = try await #require(throws: LatchError.self) { try await fixture.find(latch, .init()) }
        fault.expect(error, while: .finding, at: fixture.address)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "a fault during a sign-in is reported and creates no account, and the next sign-in works",
        arguments: Family.all, Fault.all)
    func signIn(_ family: Family, _ fault: Fault) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        let server = try await fixture.find(latch, .init())
        let fail: @Sendable () -> Void = { fixture.wire.script { fault.response(fixture.rules($0)) } }
        if !family.usesBrowser { fail() }
        let error = try await #require(throws: LatchError.self) { try await fixture.begin(latch, server, fail) }
        fault.expect(error, while: .signingIn, at: fixture.door)
        // IM-16
        if family.usesBrowser { #expect(!error.message.hasPrefix("Login failed"), "\(error)") }
        #expect(try await latch.accounts.rowIDs().isEmpty)

        fixture.wire.script(fixture.rules)
        let account = try await fixture.signIn(latch)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "a fault during a start, an identity request, a call or a renewal ends no session (invariant 4)",
        arguments: Family.all,
        Fault.all)
    func session(_ family: Family, _ fault: Fault) async throws {
        let fixture = try await family.make()
        var latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        await latch.close()
        latch = try await fixture.home.open()
        fixture.wire.script { fault.response(fixture.rules($0)) }
        let session = try latch.session(for: account)

        #expect(await session.restore().isSignedIn)
        let error = try await #require(throws: LatchError.self) { try await session.identity() }
        fault.expect(error, while: .signedIn, at: fixture.door)
        fixture.home.clock.advance(by: 700)
        _ = try await session.validToken()
        if session.dialect.refresh != nil {
            let error = try await #require(throws: LatchError.self) { try await session.refresh() }
            fault.expect(error, while: .signedIn, at: fixture.door)
        }
        // A call of an app's is handed the server's own answer, whatever its status.
        if let status = fault.status {
            #expect(try await session.client.send(session.dialect.identity).status.rawValue == status)
        } else {
            let error = try await #require(throws: LatchError.self) {
                try await session.client.send(session.dialect.identity)
            }
            fault.expect(error, while: .signedIn, at: fixture.door)
        }
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == true)

        fixture.wire.script(fixture.rules)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "OX-13 after a fault while signing out the account is removed, and a token reported as revoked does not work",
        arguments: Family.all, Fault.all)
    func signOut(_ family: Family, _ fault: Fault) async throws {
        // Either the server acts and its answer is lost, or a proxy answers the sign-out in its place.
        for isReached in [true, false] { try await signOut(family, fault, isReached: isReached) }
    }

    private func signOut(_ family: Family, _ fault: Fault, isReached: Bool) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let stored = try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        let token = SessionTokens(stored: stored).access
        fixture.wire.script { request in
            if isReached { return fault.response(fixture.rules(request)) }
            return FamilyFixture.endsSession(request) ? fault.response(.json("{}")) : fixture.rules(request)
        }
        let report = try await latch.signOut(account)
        fixture.wire.script(fixture.rules)

        if let failure = report.failure {
            let isCheck = failure.message.contains("still accepts the token")
            if !isCheck { fault.expect(failure, while: .leaving, at: fixture.door) }
        }
        #expect(report.isRevoked == (report.failure == nil))
        let lives = try await fixture.takes(token, of: account)
        // A success from a proxy cannot be told apart from the server's own.
        if fault.status != 200 {
            #expect(!report.isRevoked || !lives, "\(isReached)")
            // An answer without a body cannot be cut.
            let isCut = fault.name.hasPrefix("cut") && isReached && family.leavesWithoutBody
            #expect(report.isRevoked == isCut, "\(isReached): \(String(describing: report.failure))")
            #expect(lives == !isReached)
            // A key has no end of its own: it is noted, and the next sign-in there revokes it.
            let isKey = Family.keys.contains { $0.name == family.name }
            #expect(try await latch.accounts.noteCount() == (isKey && !isCut ? 1 : 0), "\(isReached)")
            if isKey, family.usesBrowser {
                _ = try await fixture.signIn(latch)
                #expect(try await !fixture.takes(token, of: account), "\(isReached)")
                #expect(try await latch.accounts.noteCount() == 0)
            }
        } else if !report.isRevoked {
            #expect(lives)
        }
        #expect(try await latch.accounts.accounts().allSatisfy { $0.id != account.id })
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "OX-13 RM-8 if a proxy refuses all requests except the probe, the key stays recorded",
        arguments: Family.keys)
    func signOutBehindProxy(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let stored = try #require(try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id)))
        let probe = try #require(Dialects.named(account.dialect, details: account.details)).probe.path
        fixture.wire.script { $0.path == probe ? fixture.rules($0) : .json(#"{"error":"Unauthorized"}"#, 401) }
        let report = try await latch.signOut(account)
        fixture.wire.script(fixture.rules)
        #expect(!report.isRevoked && report.failure != nil)
        #expect(try await latch.accounts.noteCount() == 1)
        #expect(try await fixture.takes(SessionTokens(stored: stored).access, of: account))
        await latch.close()
        await fixture.stop()
    }

    @Test(
        "RM-8 a fault at any request of a key's rotation leaves one working key, and no other at the server",
        arguments: Family.keys, Fault.all)
    func rotation(_ family: Family, _ fault: Fault) async throws {
        let fixture = try await family.make()
        var latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        // The new key is made, tried, and the old one revoked; the server does what it is asked for, and its answer fails.
        for (method, path) in [("", "/"), ("POST", "/"), ("GET", "/api/profile"), ("DELETE", "/")] {
            fixture.wire.script { request in
                let own = fixture.rules(request)
                return request.method.hasPrefix(method) && request.path.hasPrefix(path) ? fault.response(own) : own
            }
            let session = try latch.session(for: account)
            if method == "DELETE" {
                // The account has its new key already.
                let failure = try await session.rotateKey().failure
                #expect(failure != nil || fault.status == 200 || fault.name.hasPrefix("cut"), "\(fault.name)")
            } else {
                let error = try await #require(throws: LatchError.self) { try await session.rotateKey() }
                #expect(error.message.contains(fixture.door.description), "\(method): \(error)")
                #expect([fault.code, .serverRefused].contains(error.code), "\(method): \(error.code): \(error)")
            }
            #expect(session.state.isSignedIn, "\(method)")
            await latch.close()
            fixture.wire.script(fixture.rules)
            // Long enough that no answer can be on its way any longer.
            fixture.home.clock.advance(by: 301)
            latch = try await fixture.home.open()
            try await fixture.expectOneKey(latch, account.id, "\(method) \(path)")
        }
        await latch.close()
        await fixture.stop()
    }

    @Test("a server that is down ends no session, and signing out there removes the account", arguments: Family.all)
    func down(_ family: Family) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let server = try await fixture.find(latch, .init())
        let session = try latch.session(for: account)
        // A browser gets there a moment before the program does not.
        if !family.usesBrowser { fixture.wire.stop() }
        let refused = try await #require(throws: LatchError.self) {
            try await fixture.begin(latch, server) { fixture.wire.stop() }
        }
        expectRefused(refused, fixture.door)

        let probe = try await latch.probe(fixture.address, connection: .init(proxy: ""))
        expectRefused(try #require(probe.failure), fixture.address)
        #expect(probe.steps.last { $0.outcome == .failed }?.kind == .connection)
        expectRefused(try await #require(throws: LatchError.self) { try await session.identity() }, fixture.door)
        #expect(await session.restore().isSignedIn)
        let report = try await latch.signOut(account)
        #expect(!report.isRevoked)
        expectRefused(try #require(report.failure), fixture.door)
        #expect(try await latch.accounts.rowIDs().isEmpty)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }

    private func expectRefused(_ error: LatchError, _ place: ServerAddress) {
        #expect(error.code == .connectionRefused, "\(error)")
        #expect(error.message.contains("\(place) refuses the connection. Check that the server runs"), "\(error)")
    }

    @Test(
        "a clock that is a day wrong ends no session and leaves no partial account",
        arguments: Family.all, [-86_400, 86_400])
    func clock(_ family: Family, _ seconds: Int) async throws {
        let fixture = try await family.make()
        var latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        await latch.close()
        fixture.home.clock.advance(by: TimeInterval(seconds))
        latch = try await fixture.home.open()
        #expect(await (try latch.session(for: account)).restore().isSignedIn)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        // An ID token of yesterday or tomorrow is refused; every other sign-in works, and replaces the session.
        if family.hasDatedProof {
            let error = try await #require(throws: LatchError.self) { try await fixture.signIn(latch) }
            #expect(error.code == .providerUntrusted, "\(error)")
            #expect(error.message.contains(seconds < 0 ? "is in the future" : "has expired"), "\(error)")
            #expect(error.message.hasSuffix("check the clocks of both machines."), "\(error)")
        } else {
            #expect(try await fixture.signIn(latch).isSignedIn)
            #expect(try await latch.accounts.accounts().count == 1)
        }
        fixture.home.clock.advance(by: TimeInterval(-seconds))
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        _ = try await latch.signOut(account)
        try await fixture.expectCompleteOrAbsent(latch, [account.id])
        await latch.close()
        await fixture.stop()
    }
}

extension FamilyFixture {
    /// Whether the server itself takes a token.
    func takes(_ token: Secret, of account: Account) async throws -> Bool {
        let dialect = try #require(Dialects.named(account.dialect, details: account.details))
        var request = dialect.identity
        for field in dialect.authorization(token) { request.headers[field.name] = field.value }
        let client = try ConnectionOptions(proxy: "").client(userAgent: "test", home: account.serverURL)
        let response = try await PasswordSignIn.send(
            request, to: account.serverURL, with: client, timeout: SuccessTimeout.duration)
        await client.close()
        return dialect.identity(from: response) != nil
    }

    /// Whether the account works, with the only key that there is at the server, and nothing is to be tidied up.
    func expectOneKey(_ latch: LatchClient, _ id: UUID, _ when: String) async throws {
        let account = try #require(try await latch.accounts.account(id), "\(when)")
        try #require(account.isSignedIn, "\(when)")
        let session = try latch.session(for: account)
        try #require(try await session.identity().email == "ada@example.org", "\(when)")
        let keys = try await session.keys()
        try #require(keys.count == 1 && keys[0].isCurrent, "\(when): \(keys)")
        try await expectCompleteOrAbsent(latch, [id])
    }
}
