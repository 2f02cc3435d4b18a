import Foundation
import TestSupport
import Testing

@testable import LatchKit

@Suite(.timeLimit(.minutes(20))) struct CrashTests {
    @Test(
        "a crash after any step of a sign-in leaves the account complete or absent",
        arguments: [AccountStep.rowMade, .connectionWritten, .tokenWritten, .rowWhole])
    func signIn(step: AccountStep) async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) {
            try await fixture.signIn(latch, connection: .init(extraHeaders: ["X": "y"]))
        }
        let id = try await latch.accounts.rowIDs()
        await latch.close()

        let next = try await fixture.home.open()
        let accounts = try await next.accounts.accounts()

        if step == .rowWhole {
            #expect(accounts.count == 1 && accounts[0].isActive && accounts[0].isSignedIn)
            #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(accounts[0].id)) != nil)
        } else {
            #expect(accounts.isEmpty)
            #expect(try await next.accounts.rowIDs().isEmpty)
            for id in id {
                #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(id)) == nil)
                #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(id)) == nil)
            }
        }
        let account = try await fixture.signIn(next)
        #expect(try await next.session(for: account).identity().email == "ada@example.org")
    }

    @Test(
        "a crash after any step of signing in again leaves the account signed in with a token, or signed out",
        arguments: [AccountStep.rowMade, .connectionWritten, .tokenWritten, .rowWhole])
    func signInAgain(step: AccountStep) async throws {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        fixture.onyx.endAll()
        await #expect(throws: (any Error).self) { try await first.session(for: account).identity() }
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await fixture.signIn(second) }
        await second.close()

        let third = try await fixture.home.open()
        let stored = try #require(try await third.accounts.accounts().first)
        #expect(stored.isSignedIn == (step == .rowWhole))
        #expect((try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) != nil) == stored.isSignedIn)
    }

    @Test(
        "a crash after any step of signing out leaves the account absent",
        arguments: [AccountStep.leavingRecorded, .leavingWiped])
    func signOut(step: AccountStep) async throws {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: .init(extraHeaders: ["X": "y"]))
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.signOut(account) }
        await second.close()

        let third = try await fixture.home.open()
        #expect(try await third.accounts.rowIDs().isEmpty)
        #expect(try await third.accounts.activeAccount() == nil)
        #expect(fixture.onyx.live.isEmpty)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
        #expect(try await fixture.home.secrets.read(AccountStore.connectionKey(account.id)) == nil)
    }

    @Test(
        "a crash after any step of a session's end leaves it ended, without its token",
        arguments: [AccountStep.endRecorded, .endWiped])
    func end(step: AccountStep) async throws {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        fixture.onyx.endAll()
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.session(for: account).identity() }
        await second.close()

        let third = try await fixture.home.open()
        let stored = try #require(try await third.accounts.activeAccount())
        #expect(!stored.isSignedIn && stored.endedBecause != nil)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
    }

    @Test("a crash between a renewed token and its record leaves a working session")
    func renewal() async throws {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first)
        await first.close()
        let second = try await fixture.home.open(stoppingAfter: .renewedTokenWritten)
        fixture.home.clock.advance(by: 601)
        await #expect(throws: (any Error).self) { try await second.session(for: account).validToken() }
        await second.close()

        let third = try await fixture.home.open()
        #expect(try await third.session(for: account).identity().email == "ada@example.org")
    }

    @Test("a start does not touch an operation of another program")
    func busy() async throws {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open(stoppingAfter: .tokenWritten)
        await #expect(throws: (any Error).self) { try await fixture.signIn(first) }
        let id = try #require(try await first.accounts.rowIDs().first)
        let lock = try await first.accounts.locks.lock(id)

        let second = try await fixture.home.open()
        #expect(try await second.accounts.rowIDs() == [id])
        lock.release()
        let third = try await fixture.home.open()
        #expect(try await third.accounts.rowIDs().isEmpty)
    }

    @Test("waiting for a lock can be cancelled without losing the lock")
    func lockWait() async throws {
        let fixture = try OnyxFixture()
        let latch = try await fixture.home.open()
        let id = UUID()
        let held = try await latch.accounts.locks.lock(id)
        let waiter = Task { try await latch.accounts.locks.lock(id) }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.cancellableValue }

        held.release()
        let again = try await latch.accounts.locks.lock(id)
        again.release()
    }
}
