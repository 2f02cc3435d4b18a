import Foundation
import TestSupport
import Testing

@testable import LatchKit

/// Locks between programs; each `AccountLocks` here is one.
@Suite(.timeLimit(.minutes(20))) struct AccountLocksTests {
    private let folder: TemporaryDirectory
    private let account = UUID()

    init() throws { folder = try TemporaryDirectory() }

    @Test("a program that holds the lock too long is reported, and the lock is available after its release")
    func stoppedHolder() async throws {
        let holder = try await AccountLocks(folder: folder.path).lock(account)
        var locks = AccountLocks(folder: folder.path)
        locks.timeout = .milliseconds(10)

        let error = await #expect(throws: LatchError.self) { try await locks.lock(account) }
        #expect(error?.code == .storageLocked)
        #expect(error?.message.contains("may be suspended") == true)

        holder.release()
        locks.timeout = .seconds(30)
        let next = try await locks.lock(account)
        next.release()
    }

    @Test("a cancelled wait ends at once, and a lock that is acquired later is released")
    func cancelled() async throws {
        let holder = try await AccountLocks(folder: folder.path).lock(account)
        let locks = AccountLocks(folder: folder.path)
        let waiting = Task { try await locks.lock(account) }

        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.cancellableValue }

        holder.release()
        try await locks.lock(account).release()
    }
}
