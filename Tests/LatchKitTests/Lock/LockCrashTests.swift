import Crypto
import TestSupport
import Testing

@testable import LatchKit

/// Programs that are stopped between two steps of a change of the lock.
@Suite(.timeLimit(.minutes(20))) struct LockCrashTests {
    private static let steps: [AccountStep] = [.lockSecretWritten, .lockRecorded, .secretResealed, .lockFinished]
    private let new = Secret("a longer text")

    @Test(
        "IM-15 a crash after any step of setting the PIN leaves every secret readable, with or without it",
        arguments: steps)
    func set(step: AccountStep) async throws {
        let (fixture, account) = try await fixture(withLock: false)
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.lock.set(DeviceLockTests.pin) }
        await second.close()

        let third = try await fixture.home.open()
        if step == .lockSecretWritten {
            #expect(try third.lock.state == .none)
        } else {
            try third.lock.lock()
            #expect(try third.lock.state == .locked)
            try await third.lock.unlock(with: DeviceLockTests.pin)
            let token = try #require(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)))
            #expect(SealedSecret(token) != nil)
        }
        try await expectReadable(account, third)
    }

    @Test(
        "IM-15 a crash after any step of changing the PIN leaves every secret readable with one of the two",
        arguments: [
            AccountStep.lockTryCounted, .lockSecretWritten, .lockRecorded, .lockKeyRemoved, .secretResealed,
            .lockFinished,
        ])
    func change(step: AccountStep) async throws {
        let (fixture, account) = try await fixture(withLock: true)
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.lock.change(from: DeviceLockTests.pin, to: new) }
        await second.close()

        let third = try await fixture.home.open()
        try third.lock.lock()
        try await third.lock.unlock(
            with: [.lockTryCounted, .lockSecretWritten].contains(step) ? DeviceLockTests.pin : new)
        try await expectReadable(account, third)
        #expect(try third.lock.record()?.replaced == nil)
    }

    @Test(
        "IM-15 a crash after any step of removing the PIN leaves every secret readable",
        arguments: [AccountStep.lockTryCounted, .lockRecorded, .secretResealed, .lockKeyRemoved, .lockFinished])
    func remove(step: AccountStep) async throws {
        let (fixture, account) = try await fixture(withLock: true)
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.lock.remove(with: DeviceLockTests.pin) }
        await second.close()

        let third = try await fixture.home.open()
        try third.lock.lock()
        if try third.lock.state == .locked { try await third.lock.unlock(with: DeviceLockTests.pin) }
        #expect(try third.lock.state == (step == .lockTryCounted ? .unlocked : DeviceLock.State.none))
        try await expectReadable(account, third)
    }

    @Test(
        "IM-15 a crash after any step of deleting the key leaves every account signed out, without its secrets",
        arguments: [AccountStep.lockForgotten, .lockKeyRemoved, .endRecorded, .endWiped, .lockFinished])
    func forget(step: AccountStep) async throws {
        let (fixture, account) = try await fixture(withLock: true)
        let second = try await fixture.home.open(stoppingAfter: step)
        await #expect(throws: (any Error).self) { try await second.lock.forget() }
        await second.close()

        let third = try await fixture.home.open()
        #expect(try third.lock.state == .none)
        #expect(try await third.accounts.account(account.id)?.isSignedIn == false)
        #expect(try await fixture.home.secrets.read(AccountStore.tokenKey(account.id)) == nil)
    }

    @Test("IM-15 a try of a program that is killed during the check stays counted")
    func killedTry() async throws {
        let (fixture, _) = try await fixture(withLock: true)
        for _ in 0..<2 {
            let program = try await fixture.home.open(stoppingAfter: .lockTryCounted)
            await #expect(throws: (any Error).self) { try await program.lock.unlock(with: DeviceLockTests.pin) }
            await program.close()
        }
        let next = try await fixture.home.open()
        #expect(try next.lock.tries?.left == 8)
    }

    private func fixture(withLock: Bool) async throws -> (OnyxFixture, Account) {
        let fixture = try OnyxFixture()
        let first = try await fixture.home.open()
        let account = try await fixture.signIn(first, connection: .init(extraHeaders: ["X": "y"]))
        if withLock { try await first.lock.set(DeviceLockTests.pin) }
        await first.close()
        return (fixture, account)
    }

    private func expectReadable(_ account: Account, _ latch: LatchClient) async throws {
        #expect(try await latch.accounts.connection(of: account.id).extraHeaders["X"] == "y")
        #expect(try await latch.session(for: account).identity().email == "ada@example.org")
    }
}
