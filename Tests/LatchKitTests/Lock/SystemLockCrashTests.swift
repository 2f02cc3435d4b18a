import TestSupport
import Testing

@testable import LatchKit

/// Programs that are stopped between two steps of a change of the lock with the system's authentication.
@Suite(.timeLimit(.minutes(20))) struct SystemLockCrashTests {
    /// What is stopped.
    enum Change: CaseIterable, Sendable {
        case set, add, addPIN, change, removeMethod, remove, forget

        /// The steps that it reaches.
        var steps: [AccountStep] {
            switch self {
            case .set: [.lockSecretWritten, .lockRecorded, .secretResealed, .lockFinished]
            case .add, .change, .removeMethod:
                [.lockTryCounted, .lockSecretWritten, .lockRecorded, .lockKeyRemoved, .secretResealed, .lockFinished]
            case .addPIN: [.lockSecretWritten, .lockRecorded]
            case .remove: [.lockRecorded, .secretResealed, .lockKeyRemoved, .lockFinished]
            case .forget: [.lockForgotten, .lockKeyRemoved, .endRecorded, .endWiped, .lockFinished]
            }
        }
    }

    private static let cases = Change.allCases.flatMap { change in change.steps.map { (change, $0) } }
    private let pin = DeviceLockTests.pin

    @Test(
        "IM-15 a crash after any step leaves every secret readable with what the lock then names, and no other key",
        arguments: cases)
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
        let error = await #expect(throws: LatchError.self) {
            try await perform(change, second.lock, authentication)
        }
        try #require(error?.cause is Stopped, "\(String(describing: error))")
        // Directly after the change is recorded, the key of before is still there. A new key is there before its record.
        let recorded = try second.lock.record()
        var expected = systemKeys(recorded)
        if change == .remove, step == .lockKeyRemoved { expected = [] }
        if [.lockRecorded, .lockForgotten].contains(step) { expected.formUnion(systemKeys(before)) }
        let kept = fixture.systemKeys
        #expect(kept.isSuperset(of: expected) && (step == .lockSecretWritten || kept == expected))
        await second.close()

        let third = try await fixture.onyx.home.open()
        try third.lock.lock()
        // What was recorded is true now, and what was not is as before.
        if let record = try third.lock.record(), record.id == before?.id, change != .addPIN {
            #expect(record.methods == before?.methods)
        }
        if change == .forget {
            #expect(try third.lock.record() == nil && fixture.systemKeys.isEmpty)
            #expect(try await third.accounts.account(account.id)?.isSignedIn == false)
            return
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
        // A key that was never recorded is gone too.
        #expect(fixture.systemKeys == systemKeys(record))
    }

    private func systemKeys(_ record: LockRecord?) -> Set<String> {
        Set([record].compactMap { $0?.hasSystemKey == true ? $0?.id : nil })
    }

    private func prepare(
        _ change: Change, _ lock: DeviceLock, _ authentication: SystemAuthentication
    ) async throws {
        switch change {
        case .set: break
        case .add: try await lock.set(pin)
        case .addPIN, .remove: try await lock.set(authentication)
        case .change, .removeMethod, .forget:
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
        case .removeMethod: try await lock.removeSystemAuthentication(with: pin)
        case .remove: try await lock.remove(with: authentication)
        case .forget: try await lock.forget()
        }
    }
}
