import TestSupport
import Testing

@testable import LatchKit

/// Programs that are stopped between two steps of a change of the lock with the system's authentication.
@Suite(.timeLimit(.minutes(20))) struct SystemLockCrashTests {
    /// What is stopped.
    enum Change: CaseIterable, Sendable {
        case set, add, addPIN, change, unlock, removeMethod, remove
    }

    private static let steps: [AccountStep] = [
        .lockSecretWritten, .lockTryCounted, .lockRecorded, .secretResealed, .lockKeyRemoved, .lockFinished,
    ]
    private let pin = DeviceLockTests.pin

    @Test(
        "IM-15 a crash after any step leaves every secret readable with what the lock then names, and no other key",
        arguments: Change.allCases, steps)
    func crash(_ change: Change, step: AccountStep) async throws {
        let fixture = try await PolkitFixture()
        let authentication = fixture.authentication
        let first = try await fixture.onyx.home.open()
        let account = try await fixture.onyx.signIn(first, connection: .init(extraHeaders: ["X": "y"]))
        try await prepare(change, first.lock, authentication)
        let before = try first.lock.record()
        try first.lock.lock()
        await first.close()

        let second = try await fixture.onyx.home.open(stoppingAfter: step)
        var isStopped = false
        do { try await perform(change, second.lock, authentication) } catch let error as LatchError {
            isStopped = error.cause is Stopped
            try #require(isStopped, "\(error)")
        }
        await second.close()

        let third = try await fixture.onyx.home.open()
        try third.lock.lock()
        if isStopped {
            // What was recorded is true now, and what was not is as before.
            if let record = try third.lock.record(), record.id == before?.id, change != .addPIN {
                #expect(record.methods == before?.methods)
            }
        }
        if try third.lock.methods.contains(.system) {
            try await third.lock.unlock(with: authentication)
            // The work of a removal of the lock is finished by that.
            if try third.lock.state != .none { try third.lock.lock() }
        }
        if try third.lock.methods.contains(.pin) { try await third.lock.unlock(with: pin) }
        if try third.lock.state == .locked { try await third.lock.unlock(with: authentication) }
        #expect(try await third.accounts.connection(of: account.id).extraHeaders["X"] == "y")
        #expect(try await third.session(for: account).identity().email == "ada@example.org")

        let record = try third.lock.record()
        #expect(record?.phase.unfinished == nil && record?.replaced == nil)
        for (slot, key) in try await fixture.systemKeys() where slot != record?.systemKeySlot {
            // A key of a change that was not recorded, or of a lock that is removed, opens nothing.
            #expect(record?.isKey(key) != true)
        }
    }

    private func prepare(
        _ change: Change, _ lock: DeviceLock, _ authentication: SystemAuthentication
    ) async throws {
        switch change {
        case .set: break
        case .add: try await lock.set(pin)
        case .addPIN, .unlock, .remove: try await lock.set(authentication)
        case .change, .removeMethod:
            try await lock.set(authentication)
            try await lock.addPIN(pin, with: authentication)
        }
    }

    private func perform(
        _ change: Change, _ lock: DeviceLock, _ authentication: SystemAuthentication
    ) async throws {
        switch change {
        case .set: try await lock.set(authentication)
        case .add: try await lock.addSystemAuthentication(authentication, with: pin)
        case .addPIN: try await lock.addPIN(pin, with: authentication)
        case .change: try await lock.change(from: pin, to: pin)
        case .unlock: try await lock.unlock(with: authentication)
        case .removeMethod: try await lock.removeSystemAuthentication(with: pin)
        case .remove: try await lock.remove(with: authentication)
        }
    }
}
