import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// Killed between every two steps, whatever the dialect.
@Suite(.timeLimit(.minutes(20))) struct FamilyCrashTests {
    private static let connection = ConnectionOptions(extraHeaders: ["X": "y"])

    @Test(
        "a crash after any step of a sign-in leaves the account complete or absent, in every family",
        arguments: Family.all,
        [AccountStep.rowMade, .connectionWritten, .tokenWritten, .rowWhole])
    func signIn(_ family: Family, _ step: AccountStep) async throws {
        let fixture = try await family.make()
        let latch = try await fixture.home.open(stoppingAfter: step)
        fixture.die()
        await #expect(throws: (any Error).self) { try await fixture.signIn(latch, connection: Self.connection) }
        fixture.wire.script(fixture.rules)
        let ids = try await latch.accounts.rowIDs()
        #expect(ids.count == 1)
        await latch.close()

        let next = try await fixture.home.open()
        try await fixture.expectCompleteOrAbsent(next, ids)
        #expect(try await next.accounts.accounts().count == (step == .rowWhole ? 1 : 0))
        // Also with a key that was pasted: it is the person's own, and undoing a sign-in does not revoke it.
        let account = try await fixture.signIn(next)
        #expect(try await next.session(for: account).identity().email == "ada@example.org")
        await next.close()
        await fixture.stop()
    }

    @Test(
        "a crash after any step of signing in again with a pasted key, after a session ended, does not revoke that key",
        arguments: [AccountStep.rowMade, .connectionWritten, .tokenWritten, .rowWhole])
    func pastedAgain(_ step: AccountStep) async throws {
        let fixture = try await RelateMailFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        fixture.server.revokeAll()
        await #expect(throws: LatchError.self) { try await first.session(for: account).identity() }
        #expect(try await first.accounts.account(account.id)?.isSignedIn == false)
        await first.close()
        let pasted = fixture.server.add("my desk")
        let second = try await fixture.home.open(stoppingAfter: step)
        // One that is open before the crash finishes nothing of it.
        let other = try await fixture.home.open(stoppingAfter: .tokenWritten)
        await #expect(throws: (any Error).self) { try await fixture.signIn(second, key: pasted.key) }
        await second.close()

        let third = try await fixture.home.open()
        #expect(fixture.server.keys.map(\.id) == [pasted.id])
        let stored = try #require(try await third.accounts.account(account.id))
        #expect(stored.isSignedIn == (step == .rowWhole) && stored.details[SignedIn.ownKeyEntry] == nil)
        #expect((try await fixture.stored(account) != nil) == stored.isSignedIn)
        await third.close()

        // A key that is made here is not taken for a pasted one: it goes with the sign-in that came to nothing.
        if step != .rowWhole {
            await #expect(throws: (any Error).self) { try await fixture.signIn(other) }
            let last = try await fixture.home.open()
            #expect(fixture.server.keys.map(\.id) == [pasted.id])
            #expect(try await fixture.signIn(last, key: pasted.key).isSignedIn)
            await last.close()
        }
        await other.close()
        await fixture.stop()
    }

    @Test(
        "a crash after any step of signing out leaves the account absent, in every family", arguments: Family.all,
        [AccountStep.leavingRecorded, .leavingWiped])
    func signOut(_ family: Family, _ step: AccountStep) async throws {
        let fixture = try await family.make()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: Self.connection)
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: Stopped.self) { try await second.signOut(account) }
        await second.close()

        let third = try await fixture.home.open()
        #expect(try await third.accounts.rowIDs().isEmpty)
        try await fixture.expectCompleteOrAbsent(third, [account.id])
        await third.close()
        await fixture.stop()
    }

    @Test(
        "a crash after any step of a key's rotation leaves the account with a working key",
        arguments: Family.keys,
        [AccountStep.rotationRecorded, .rotatedKeyMade, .rotatedKeyTried, .rotatedKeyWritten, .rotatedKeyKept])
    func rotation(_ family: Family, _ step: AccountStep) async throws {
        let fixture = try await family.make()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        fixture.die()
        await #expect(throws: (any Error).self) { try await second.session(for: account).rotateKey() }
        fixture.wire.script(fixture.rules)
        await second.close()

        let third = try await fixture.home.open()
        try await fixture.expectCompleteOrAbsent(third, [account.id])
        #expect(try await third.accounts.activeAccount()?.isSignedIn == true)
        await third.close()
        await fixture.stop()
    }
}

extension FamilyFixture {
    /// A dead program gives nothing back: what it would send to end a session does not arrive.
    func die() {
        let rules = rules
        wire.script { Self.endsSession($0) ? .silence : rules($0) }
    }

    /// Whether a request ends a session or revokes a key or token.
    static func endsSession(_ request: ScriptedServer.Request) -> Bool {
        request.method == "DELETE" || request.path.hasSuffix("/logout") || request.path.hasSuffix("/revoke")
    }

    /// Whether each account has its token and works, and of the rest nothing is left; and no secret is in any file.
    func expectCompleteOrAbsent(
        _ latch: LatchClient, _ ids: [UUID], sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let accounts = try await latch.accounts.accounts()
        for account in accounts {
            #expect(account.isSignedIn, sourceLocation: sourceLocation)
            let token = try await latch.accounts.secrets.read(AccountStore.tokenKey(account.id))
            let tokens = SessionTokens(stored: try #require(token, sourceLocation: sourceLocation))
            #expect(try home.files(holding: tokens.access.reveal()).isEmpty, sourceLocation: sourceLocation)
            let identity = try await latch.session(for: account).identity()
            #expect(identity.email == "ada@example.org", sourceLocation: sourceLocation)
        }
        for id in ids where !accounts.contains(where: { $0.id == id }) {
            for key in AccountStore.tokenKeys(id) {
                #expect(try await home.secrets.read(key) == nil, sourceLocation: sourceLocation)
            }
            #expect(try await home.secrets.read(AccountStore.connectionKey(id)) == nil, sourceLocation: sourceLocation)
        }
        for secret in ["correct horse", "code-number-0", "code-number-1", "code_verifier"] {
            #expect(try home.files(holding: secret).isEmpty, "\(secret)", sourceLocation: sourceLocation)
        }
    }
}
