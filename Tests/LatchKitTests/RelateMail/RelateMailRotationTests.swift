import Foundation
import ScriptedProvider
import TestSupport
import Testing

@testable import LatchKit

/// Keys listed, replaced and revoked, also when the program dies on the way.
@Suite(.timeLimit(.minutes(20))) struct RelateMailRotationTests {
    private func identify(_ latch: LatchClient, _ account: Account) async throws -> String {
        try await latch.session(for: account).identity().email
    }

    @Test("RM-8 a rotated key has worked before the old one is revoked by its id, and has the same scopes")
    func rotate() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch, scopes: ["api:read", "app"])
        let other = fixture.server.add()
        let old = try #require(account.apiKeyID)
        let before = fixture.wire.requests.count

        let session = try latch.session(for: account)
        let rotation = try await session.rotateKey()

        #expect(rotation.failure == nil && rotation.oldKeyID == old && rotation.scopes == ["api:read", "app"])
        let new = try #require(fixture.server.keys.first { $0.id == rotation.keyID })
        #expect(fixture.server.keys.map(\.id) == [new.id, other.id] && new.scopes == ["api:read", "app"])
        let asked = fixture.wire.requests[before...]
        let tried = try #require(
            asked.firstIndex { $0.path == "/api/profile" && $0.headers["Authorization"] == "ApiKey \(new.key)" })
        #expect(tried < (try #require(asked.firstIndex { $0.method == "DELETE" && $0.path.hasSuffix(old) })))
        let stored = try #require(try await latch.accounts.account(account.id))
        #expect(stored.apiKeyID == new.id && stored.scopes == ["api:read", "app"] && stored.isSignedIn)
        #expect(try await fixture.stored(account)?.access.reveal() == new.key)
        #expect(try await session.identity().email == "ada@example.org")
        #expect(try await latch.accounts.orphanedKeys(of: account.id).isEmpty)
        #expect(try fixture.home.files(holding: new.key).isEmpty)
        await fixture.stop()
    }

    @Test(
        "RM-8 a crash after any step of a rotation leaves one working key, and the next start revokes the other",
        arguments: [
            AccountStep.rotationRecorded, .rotatedKeyMade, .rotatedKeyTried, .rotatedKeyWritten, .rotatedKeyKept,
            .orphanedKeyRevoked,
        ])
    func crash(_ step: AccountStep) async throws {
        let fixture = try await RelateMailFixture()
        let other = fixture.server.add()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        if step == .orphanedKeyRevoked {
            // The rotation itself is through; that its tidying broke off is told.
            #expect(try await second.session(for: account).rotateKey().failure != nil)
        } else {
            await #expect(throws: Stopped.self) { try await second.session(for: account).rotateKey() }
        }
        await second.close()
        let keysThen = fixture.server.keys.count
        #expect(keysThen == ([.rotationRecorded, .orphanedKeyRevoked].contains(step) ? 2 : 3))

        let third = try await fixture.home.open()

        let activeAccount = try #require(try await third.accounts.activeAccount())
        let stored = try #require(try await fixture.stored(activeAccount))
        #expect(Set(fixture.server.keys.map(\.id)) == [stored.keyID, other.id])
        #expect(activeAccount.isSignedIn && activeAccount.apiKeyID == stored.keyID)
        let hasNew: [AccountStep] = [.rotatedKeyWritten, .rotatedKeyKept, .orphanedKeyRevoked]
        #expect((activeAccount.apiKeyID != account.apiKeyID) == hasNew.contains(step))
        #expect(try await identify(third, activeAccount) == "ada@example.org")
        await third.close()

        // What came to nothing is looked for once more when no answer can be on its way any longer.
        fixture.home.clock.advance(by: 301)
        let fourth = try await fixture.home.open()
        #expect(try await fourth.accounts.orphanedKeys(of: activeAccount.id).isEmpty)
        #expect(fixture.server.keys.count == 2)
        #expect(try await fourth.session(for: activeAccount).rotateKey().failure == nil)
        await fourth.close()
        await fixture.stop()
    }

    @Test("RM-8 an old key that could not be revoked is revoked at a later start, however often the server is down")
    func unreachable() async throws {
        let fixture = try await RelateMailFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        fixture.server.intercept {
            $0.method == "DELETE" ? .json(#"{"error":"An unexpected error occurred"}"#, 500) : nil
        }
        let rotation = try await first.session(for: account).rotateKey()
        #expect(rotation.failure?.code == .serverError && fixture.server.keys.count == 2)
        await first.close()
        let second = try await fixture.home.open()
        #expect(fixture.server.keys.count == 2)
        #expect(try await identify(second, account) == "ada@example.org")
        await second.close()

        fixture.server.intercept(nil)
        let third = try await fixture.home.open()
        #expect(fixture.server.keys.map(\.id) == [rotation.keyID])
        #expect(try await identify(third, account) == "ada@example.org")
        await third.close()
        await fixture.stop()
    }

    @Test("RM-7 a key that could not be revoked at sign-out is revoked when its person signs in there again")
    func signOutUnreachable() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        fixture.server.intercept { $0.method == "DELETE" ? .init(status: 429, headers: [:]) : nil }
        let report = try await latch.signOut(account)
        #expect(!report.isRevoked && report.failure?.code == .rateLimited && report.failure?.retryAfter == .seconds(60))
        #expect(try await latch.accounts.rowIDs().isEmpty && fixture.server.keys.count == 1)
        #expect(try await fixture.stored(account) == nil)

        fixture.server.intercept(nil)
        let again = try await fixture.signIn(latch)
        #expect(fixture.server.keys.map(\.id) == [again.apiKeyID])
        #expect(try await latch.accounts.orphanedKeys(of: again.id).isEmpty)
        await fixture.stop()
    }

    @Test("RM-8 a new key that does not work is revoked again, and the old one stays")
    func broken() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let old = try #require(fixture.server.keys.first)
        fixture.server.intercept { request in
            guard request.path == "/api/profile", request.headers["Authorization"] != "ApiKey \(old.key)" else {
                return nil
            }
            return .init(status: 401, headers: [:])
        }
        let error = await #expect(throws: LatchError.self) { try await latch.session(for: account).rotateKey() }
        #expect(error?.message.contains("does not work") == true)
        #expect(fixture.server.keys.map(\.id) == [old.id])
        #expect(try await fixture.stored(account)?.access.reveal() == old.key)
        #expect(try await identify(latch, account) == "ada@example.org")
        await fixture.stop()
    }

    @Test("RM-8 a new key whose response was lost is found by its name and revoked")
    func lostResponse() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let server = fixture.server
        fixture.wire.script { request in
            let response = server.response(request)
            return request.method == "POST" ? .silence : response
        }
        let error = await #expect(throws: LatchError.self) { try await latch.session(for: account).rotateKey() }
        #expect(error?.code == .connectionLost && fixture.server.keys.map(\.id) == [account.apiKeyID])
        #expect(try await identify(latch, account) == "ada@example.org")
        await fixture.stop()
    }

    @Test("RM-8 if the secret store refuses the new key, the old one stays, here and at the server")
    func storeFails() async throws {
        let fixture = try await RelateMailFixture()
        let store = LockableStore()
        let latch = try await fixture.home.open(secrets: store)
        let account = try await fixture.signIn(latch)
        let server = fixture.server
        fixture.wire.script { request in
            // From the moment the new key is tried.
            if request.path == "/api/profile" { store.fail(.locked) }
            return server.response(request)
        }
        let session = try latch.session(for: account)
        let error = await #expect(throws: LatchError.self) { try await session.rotateKey() }
        #expect(error?.code == .secretStoreLocked)
        store.fail(nil)
        await latch.close()

        let next = try await fixture.home.open(secrets: store)
        #expect(fixture.server.keys.map(\.id) == [account.apiKeyID])
        fixture.wire.script { server.response($0) }
        #expect(try await identify(next, account) == "ada@example.org")
        await next.close()
        await fixture.stop()
    }

    @Test("RM-8 keys are listed with the account's own marked, and another can be revoked, even twice")
    func listAndRevoke() async throws {
        let fixture = try await RelateMailFixture()
        let latch = try await fixture.home.open()
        let account = try await fixture.signIn(latch)
        let other = fixture.server.add("a phone", scopes: ["smtp"])
        let session = try latch.session(for: account)

        let keys = try await session.keys()
        #expect(keys.map(\.id) == [other.id, account.apiKeyID] && keys.map(\.isCurrent) == [false, true])
        #expect(keys[0].name == "a phone" && keys[0].scopes == ["smtp"] && keys[0].lastUsed == nil)
        #expect(keys[1].lastUsed != nil && keys[1].created != nil)
        try await session.revokeKey(other.id)
        try await session.revokeKey(other.id)
        #expect(fixture.server.keys.map(\.id) == [account.apiKeyID] && session.state.isSignedIn)

        try await session.revokeKey(try #require(account.apiKeyID))
        #expect(
            fixture.server.keys.isEmpty && session.state == .signedOut(.ended("its key was revoked on this device")))
        #expect(try await latch.accounts.account(account.id)?.isSignedIn == false)
        #expect(try await fixture.stored(account) == nil)
        await fixture.stop()
    }

    @Test(
        "RM-8 a crash after any step of signing in again leaves no unused key at the server",
        arguments: [AccountStep.rowMade, .connectionWritten, .tokenWritten, .rowWhole])
    func signInAgain(_ step: AccountStep) async throws {
        let fixture = try await RelateMailFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        // A dead program gives nothing back.
        fixture.server.intercept { $0.method == "DELETE" ? .silence : nil }
        await #expect(throws: (any Error).self) { try await fixture.signIn(second) }
        await second.close()
        fixture.server.intercept(nil)

        let third = try await fixture.home.open()
        let current = try #require(try await third.accounts.account(account.id))
        let stored = try #require(try await fixture.stored(current))
        #expect(fixture.server.keys.map(\.id) == [stored.keyID] && current.apiKeyID == stored.keyID)
        #expect(try await identify(third, current) == "ada@example.org")
        await third.close()
        await fixture.stop()
    }

    @Test("RM-7 after a crash while signing out, the next start or the next sign-in revokes the key")
    func signOutCrash() async throws {
        for isAway in [false, true] {
            let fixture = try await RelateMailFixture()
            let first = try await fixture.home.open()
            let account = try await fixture.signIn(first)
            await first.close()
            let second = try await fixture.home.open(stoppingAfter: .leavingRecorded)
            await #expect(throws: Stopped.self) { try await second.signOut(account) }
            await second.close()
            #expect(fixture.server.keys.count == 1)
            fixture.server.intercept { isAway && $0.method == "DELETE" ? .page(502) : nil }

            let third = try await fixture.home.open()
            #expect(try await third.accounts.rowIDs().isEmpty)
            #expect(fixture.server.keys.count == (isAway ? 1 : 0))
            fixture.server.intercept(nil)
            let again = try await fixture.signIn(third)
            #expect(fixture.server.keys.map(\.id) == [again.apiKeyID])
            await third.close()
            await fixture.stop()
        }
    }

    @Test("RM-7 after a crash during the first sign-in, the next sign-in leaves no other key")
    func firstSignIn() async throws {
        for step in [AccountStep.rowMade, .tokenWritten] {
            let fixture = try await RelateMailFixture()
            let first = try await fixture.home.open(stoppingAfter: step)
            let server = fixture.server
            // A dead program gives nothing back.
            fixture.server.intercept { $0.method == "DELETE" ? .silence : nil }
            await #expect(throws: (any Error).self) { try await fixture.signIn(first) }
            await first.close()
            #expect(server.keys.count == 1)
            fixture.server.intercept(nil)

            let next = try await fixture.home.open()
            #expect(try await next.accounts.rowIDs().isEmpty)
            #expect(server.keys.count == (step == .rowMade ? 1 : 0))
            let account = try await fixture.signIn(next)
            #expect(server.keys.map(\.id) == [account.apiKeyID])
            #expect(try await next.accounts.orphanedKeys(of: account.id).isEmpty)
            await next.close()
            await fixture.stop()
        }
    }
}
